// The functions that the Python module popdist calls: C, so that any Python can.
#include "communicators.hpp"

#include <exception>
#include <popdist/popdist_poplar.hpp>
#include <set>
#include <string>

namespace {

thread_local std::string lastError;

/// Returns what \p call returns, or -1, with the reason in lastError.
template <class Call> long long guarded(const Call &call) {
  try {
    return static_cast<long long>(call());
  } catch (const std::exception &error) {
    lastError = error.what();
  }
  return -1;
}

template <class Call> long long guardedAction(const Call &call) {
  return guarded([&] {
    call();
    return 0;
  });
}

} // namespace

extern "C" {

const char *popdist_last_error() { return lastError.c_str(); }

long long popdist_is_env_set() { return guarded(popdist::isPopdistEnvSet); }
long long popdist_num_total_replicas() { return guarded(popdist::getNumTotalReplicas); }
long long popdist_num_local_replicas() { return guarded(popdist::getNumLocalReplicas); }
long long popdist_num_ipus_per_replica() { return guarded(popdist::getNumIpusPerReplica); }
long long popdist_replica_index_offset() { return guarded(popdist::getReplicaIndexOffset); }
long long popdist_num_instances() { return guarded(popdist::getNumInstances); }
long long popdist_instance_index() { return guarded(popdist::getInstanceIndex); }
long long popdist_local_instance_index() { return guarded(popdist::getLocalInstanceIndex); }
long long popdist_device_id(unsigned ipusPerReplica) {
  return guarded([=] { return popdist::getDeviceId(ipusPerReplica); });
}

long long popdist_register_default_backend() {
  return guardedAction(popdist::registerDefaultBackend);
}
long long popdist_register_backend(const char *path) {
  return guardedAction([=] { popdist::registerBackend(path); });
}
long long popdist_initialize_backend() { return guardedAction(popdist::initializeBackend); }
long long popdist_is_backend_initialized() { return guarded(popdist::isBackendInitialized); }
long long popdist_finalize_backend() { return guardedAction(popdist::finalizeBackend); }

long long popdist_register_communicator(const unsigned *instances, unsigned count, const char *id) {
  return guardedAction([=] {
    popdist::registerCommunicator(std::set<std::uint32_t>(instances, instances + count), id);
  });
}
long long popdist_push_communicator(const char *id) {
  return guardedAction([=] { popdist::pushCommunicator(id); });
}
long long popdist_pop_communicator() { return guardedAction(popdist::popCommunicator); }

/// Waits for all instances of the communicator.
long long popdist_synchronize(const char *name) {
  return guardedAction([=] {
    signed char ready = 0;
    popdist::collectives::allReduceSum(&ready, 1, poplar::SIGNED_CHAR, name);
  });
}
}
