"""PopDist: the place of this process in a job of several instances that poprun has started.

A thin layer over libpopdist.so, so that Python and C++ programs read the environment alike."""
import ctypes
import glob
import os
import sys

__all__ = ["PopdistError", "checkNumIpusPerReplica", "defaultCommunicatorId", "execute_on_instances", "finalizeBackend",
           "getDeviceId", "getInstanceIndex", "getLocalInstanceIndex", "getNumInstances", "getNumIpusPerReplica",
           "getNumLocalReplicas", "getNumTotalReplicas", "getReplicaIndexOffset", "init", "initializeBackend",
           "isBackendInitialized", "isPopdistEnvSet", "registerBackend", "registerCommunicator", "registerDefaultBackend",
           "synchronize"]


class PopdistError(RuntimeError):
    """The environment is invalid, or instances cannot reach each other."""


def _open():
    """Loads libpopdist.so: of the tree that this module is in (lib/python3/dist-packages), else of the loader's path."""
    lib = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__)))))
    found = sorted(glob.glob(os.path.join(lib, "libpopdist.so*")))  # libcopse-dev has the name without a version
    library = ctypes.CDLL(found[0] if found else "libpopdist.so", mode=ctypes.RTLD_GLOBAL)
    library.popdist_last_error.restype = ctypes.c_char_p
    return library


_library = _open()


def _call(name, *arguments):
    function = getattr(_library, "popdist_" + name)
    function.restype = ctypes.c_longlong
    result = function(*arguments)
    if result < 0:
        raise PopdistError(_library.popdist_last_error().decode(errors="replace"))
    return result


def isPopdistEnvSet():
    """Returns whether poprun has started this process."""
    return bool(_call("is_env_set"))


def getNumTotalReplicas():
    """Returns the number of replicas of all instances; 1 without poprun."""
    return _call("num_total_replicas")


def getNumLocalReplicas():
    """Returns the number of replicas of this instance; 1 without poprun."""
    return _call("num_local_replicas")


def getNumIpusPerReplica():
    """Returns the number of IPUs of a replica; 1 without poprun."""
    return _call("num_ipus_per_replica")


def checkNumIpusPerReplica(expected):
    """Returns False if poprun was given another number of IPUs per replica."""
    return getNumIpusPerReplica() == expected


def getReplicaIndexOffset():
    """Returns the number of the first replica of this instance."""
    return _call("replica_index_offset")


def getNumInstances():
    """Returns the number of instances."""
    return _call("num_instances")


def getInstanceIndex():
    """Returns the number of this instance, from 0 on."""
    return _call("instance_index")


def getLocalInstanceIndex():
    """Returns the number of this instance among the instances of its host."""
    return _call("local_instance_index")


def getDeviceId(ipusPerReplica=0):
    """Returns the id of the device with the IPUs of this instance."""
    return _call("device_id", ctypes.c_uint(ipusPerReplica))


def registerDefaultBackend():
    """Registers the backend over Open MPI."""
    _call("register_default_backend")


def registerBackend(path):
    """Registers the shared object of another backend."""
    _call("register_backend", os.fsencode(path))


def initializeBackend():
    """Connects this instance to the others; all must call it."""
    _call("initialize_backend")


def isBackendInitialized():
    return bool(_call("is_backend_initialized"))


def finalizeBackend():
    """Ends the connections when all instances have come here.

    Does nothing while an exception is handled, as in a finally block: an instance that fails must not wait for the others."""
    if sys.exc_info()[0] is None:
        _call("finalize_backend")


def init():
    """Registers the default backend and connects the instances; does nothing without poprun."""
    if isPopdistEnvSet() and not isBackendInitialized():
        registerDefaultBackend()
        initializeBackend()


def defaultCommunicatorId():
    return "default"


def registerCommunicator(participants, communicator_id="default"):
    """Names a group of instances. All instances must call it alike."""
    members = sorted(set(participants))
    _call("register_communicator", (ctypes.c_uint * len(members))(*members), ctypes.c_uint(len(members)),
          communicator_id.encode())


def synchronize(name="popdist.synchronize"):
    """Waits for the other instances of the communicator."""
    _call("synchronize", name.encode())


def execute_on_instances(instances, func, *args, **kwargs):
    """Calls func on some of the instances; meanwhile, collectives are among those. All instances must call it.

    Returns what func returns; None on the other instances."""
    members = sorted(set(instances))
    communicator = "instances " + ",".join(map(str, members))
    alone = getNumInstances() == 1
    if not alone:
        registerCommunicator(members, communicator)
    if getInstanceIndex() not in members:
        return None
    if alone:
        return func(*args, **kwargs)
    _call("push_communicator", communicator.encode())
    try:
        return func(*args, **kwargs)
    finally:
        _call("pop_communicator")
