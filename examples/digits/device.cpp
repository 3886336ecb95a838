#include "device.hpp"

#include <algorithm>
#include <poplar/DeviceManager.hpp>
#include <poplar/IPUModel.hpp>
#include <stdexcept>
#include <string>

namespace digits {

using namespace poplar;

namespace {

/// Returns the IPUs of the largest device.
unsigned countIpus(const DeviceManager &manager) {
  unsigned most = 0;
  for (const Device &device : manager.getDevices())
    if (device.getTarget().getTargetType() == TargetType::IPU)
      most = std::max(most, device.getTarget().getNumIPUs());
  return most;
}

std::string whyNone(bool areThere, unsigned wanted, unsigned ipus) {
  const std::string all = std::to_string(ipus) + (ipus == 1 ? " IPU" : " IPUs");
  if (areThere)
    return "no group of " + std::to_string(wanted) + " is free of the " + all +
           " that there are; copse status says which programs hold them";
  return "there " + std::string(ipus == 1 ? "is " : "are ") + all +
         "; give 1, or an even number up to all of them";
}

Device attachIpus(const std::string &topology, unsigned ipus, std::optional<unsigned> id) {
  DeviceManager manager = DeviceManager::createDeviceManager();
  const OptionFlags links{{"ipuLinkTopology", topology}};
  std::vector<Device> devices;
  if (id)
    devices.push_back(manager.getDevice(*id, links));
  else
    devices = manager.getDevices(TargetType::IPU, ipus, links);
  for (Device &device : devices)
    if (device.attach())
      return std::move(device);
  throw std::runtime_error("--replicas " + std::to_string(ipus) + ": " +
                           whyNone(!devices.empty(), ipus, countIpus(manager)));
}

} // namespace

Device openDevice(const std::string &kind, const std::string &topology, unsigned ipus,
                  std::optional<unsigned> id) {
  if (kind == "ipu")
    return attachIpus(topology, ipus, id);
  Device device;
  if (kind == "cpu") {
    device = Device::createCPUDevice(ipus);
  } else {
    IPUModel model;
    model.numIPUs = ipus;
    device = model.createDevice({{"ipuLinkTopology", topology}});
  }
  device.attach();
  return device;
}

unsigned countProcesses(const Device &device) {
  const auto attributes = device.getAttributes();
  const auto pids = attributes.find("ipud.pids");
  if (pids == attributes.end() || pids->second.empty())
    return 0;
  return 1 + static_cast<unsigned>(std::count(pids->second.begin(), pids->second.end(), ','));
}

} // namespace digits
