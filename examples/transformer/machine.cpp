#include "machine.hpp"

#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <stdexcept>
#include <utility>

namespace transformer {

using namespace poplar;

namespace {

Device attachedIpus(unsigned ipus) {
  for (Device &device : DeviceManager::createDeviceManager().getDevices(TargetType::IPU, ipus))
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("no group of " + std::to_string(ipus) +
                           " IPUs is free on this machine; it has groups of 1, or of an even "
                           "number up to all of them (COPSE_IPUS)");
}

} // namespace

Device attachedDevice(const std::string &kind, unsigned ipus) {
  if (kind == "ipu")
    return attachedIpus(ipus);
  Device device;
  if (kind == "cpu") {
    device = Device::createCPUDevice(ipus);
  } else {
    IPUModel model;
    model.numIPUs = ipus;
    device = model.createDevice();
  }
  device.attach();
  return device;
}

} // namespace transformer
