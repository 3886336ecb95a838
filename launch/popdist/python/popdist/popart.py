"""PopDist for PopART."""
import popart
import popdist


def configureSessionOptions(options):
    """Makes a session run this instance's share of all replicas. Returns the options."""
    local, total = popdist.getNumLocalReplicas(), popdist.getNumTotalReplicas()
    options.enableReplicatedGraphs = local > 1
    options.replicatedGraphCount = local
    options.enableDistributedReplicatedGraphs = total > local
    options.globalReplicaOffset = popdist.getReplicaIndexOffset()
    options.globalReplicationFactor = total
    return options


def getDevice(ipusPerReplica=0, connectionType=None):
    """Returns the device of this instance."""
    how = popart.DeviceConnectionType.Always if connectionType is None else connectionType
    device = popart.DeviceManager().acquireDeviceById(popdist.getDeviceId(ipusPerReplica), connectionType=how)
    if device is None:
        raise popdist.PopdistError("the device of this instance cannot be acquired; another program holds its IPUs")
    return device
