#include <popdist/popdist_poplar.hpp>
#include <poplar/DeviceManager.hpp>
#include <poplar/Engine.hpp>

namespace popdist {

unsigned getDeviceId(unsigned ipusPerReplica) {
  const unsigned ipus =
      getNumLocalReplicas() * (ipusPerReplica == 0 ? getNumIpusPerReplica() : ipusPerReplica);
  const auto devices = poplar::DeviceManager().getDevices(poplar::TargetType::IPU, ipus);
  // Where an instance sees the IPUs of all instances, as in a reconfigurable partition, the first
  // device of that size is the first instance's.
  const std::size_t place = devices.size() > 1 ? getInstanceIndex() : 0;
  // A device that getDevice() does not know by its id would be another one.
  if (place >= devices.size() || devices[place].getId() >= poplar::DeviceManager().getNumDevices())
    throw popdist_error("getDeviceId: no device has the " + std::to_string(ipus) +
                        " IPUs of this instance; use a power of two, and start instances with "
                        "poprun");
  return devices[place].getId();
}

poplar::OptionFlags getEngineOptions() {
  if (getNumLocalReplicas() == getNumTotalReplicas())
    return {};
  return {{"target.firstRuntimeReplica", std::to_string(getReplicaIndexOffset())},
          {"target.numberRuntimeReplica", std::to_string(getNumLocalReplicas())}};
}

void run(poplar::Engine &engine, unsigned program, const std::string &debugName) {
  if (isBackendInitialized() && getNumInstances() > 1) {
    signed char ready = 0;
    collectives::allReduceSum(&ready, 1, poplar::SIGNED_CHAR, "popdist::run");
  }
  engine.run(program, debugName);
}

} // namespace popdist
