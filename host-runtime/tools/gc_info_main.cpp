// gc-info: what one device is.
#include "report.hpp"

#include <poplar/DeviceManager.hpp>

namespace {

using copse::tools::Rows;

nlohmann::ordered_json row(const std::string &name, const nlohmann::ordered_json &value) {
  return {{"attribute", name},
          {"value", value.is_string() ? value : nlohmann::ordered_json(value.dump())}};
}

Rows describe(unsigned id) {
  const poplar::Device device = poplar::DeviceManager().getDevice(id);
  const poplar::Target &target = device.getTarget();
  Rows rows{row("device", id),
            row("target type", poplar::toString(target.getTargetType())),
            row("architecture", std::string(target.getTargetArchString())),
            row("IPUs", target.getNumIPUs()),
            row("tiles per IPU", target.getTilesPerIPU()),
            row("worker contexts per tile", target.getNumWorkerContexts()),
            row("bytes per tile", target.getBytesPerTile()),
            row("tile clock [Hz]", target.getTileClockFrequency()),
            row("exchange bytes per cycle", target.getExchangeBytesPerCycle()),
            row("global sync [cycles]", target.getGlobalSyncCycles())};
  for (const auto &[name, value] : device.getAttributes())
    rows.push_back(row(name, value));
  return rows;
}

Rows count() {
  return {{{"ipus", poplar::DeviceManager().getDevices(poplar::TargetType::IPU, 1).size()}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Prints the attributes of a device.", "gc-info"};
  unsigned id = 0;
  bool ipuCount = false;
  auto *const device =
      app.add_option("-d,--device-id", id, "id of the device, as gc-inventory prints it")
          ->capture_default_str();
  app.add_flag("--ipu-count", ipuCount, "print the number of IPUs")->excludes(device);
  return copse::tools::runTool(app, argc, argv, [&] { return ipuCount ? count() : describe(id); });
}
