"""PopDist for PopTorch."""
import popdist
import poptorch


class Options(poptorch.Options):
    """Returns options of a model of which this instance runs its share of all replicas."""

    def __init__(self, ipus_per_replica=None):
        super().__init__()
        ipus = popdist.getNumIpusPerReplica() if ipus_per_replica is None else ipus_per_replica
        if not popdist.checkNumIpusPerReplica(ipus):
            raise popdist.PopdistError(
                f"this model has {ipus} IPUs per replica, but poprun was given {popdist.getNumIpusPerReplica()}; "
                f"start it with --ipus-per-replica {ipus}")
        self.replicationFactor(popdist.getNumLocalReplicas())
        if popdist.isPopdistEnvSet():
            self.Distributed.configureProcessId(popdist.getInstanceIndex(), popdist.getNumInstances())
            self.useIpuId(popdist.getDeviceId(ipus))
