#include "devices.hpp"

#include <poplar/DeviceManager.hpp>
#include <utility>

namespace copse::tools {

void DeviceChoice::addOptions(CLI::App &app) {
  auto *const device =
      app.add_option("-d,--device-id", id, "id of the device, as gc-inventory prints it");
  app.add_option("--ipus", ipus, "use the first free device with this number of IPUs")
      ->check(CLI::Range(1, 256))
      ->excludes(device)
      ->capture_default_str();
  app.add_option("--topology", topology, "topology of the IPU-Links")
      ->check(CLI::IsMember({"mesh", "torus"}))
      ->capture_default_str();
}

poplar::Device attachDevice(const DeviceChoice &choice) {
  const poplar::OptionFlags options{{"ipuLinkTopology", choice.topology}};
  const poplar::DeviceManager manager;
  if (choice.id) {
    poplar::Device device = manager.getDevice(*choice.id, options);
    if (!device.attach())
      throw poplar::poplar_error("device " + std::to_string(*choice.id) + " is not free");
    return device;
  }
  for (poplar::Device &device : manager.getDevices(poplar::TargetType::IPU, choice.ipus, options))
    if (device.attach())
      return std::move(device);
  throw poplar::poplar_error(
      "there is no free device of " + std::to_string(choice.ipus) +
      " IPUs; set COPSE_IPUS to more IPUs, or choose a device of gc-inventory");
}

} // namespace copse::tools
