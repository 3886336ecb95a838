// gc-inventory: the devices that a program finds, one after another.
#include "report.hpp"

#include <poplar/DeviceManager.hpp>

namespace {

copse::tools::Rows inventory() {
  copse::tools::Rows rows;
  for (const poplar::Device &device : poplar::DeviceManager().getDevices()) {
    const poplar::Target &target = device.getTarget();
    const auto ipus = device.getDriverIDs();
    rows.push_back({{"id", device.getId()},
                    {"type", poplar::toString(target.getTargetType())},
                    {"ipus", target.getNumIPUs()},
                    {"first_ipu", ipus.empty() ? 0 : ipus.front()},
                    {"last_ipu", ipus.empty() ? 0 : ipus.back()},
                    {"tiles_per_ipu", target.getTilesPerIPU()},
                    {"bytes_per_tile", target.getBytesPerTile()},
                    {"clock_GHz", target.getTileClockFrequency() * 1e-9}});
  }
  return rows;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Lists the devices that Poplar programs find on this machine.", "gc-inventory"};
  return copse::tools::runTool(app, argc, argv, inventory);
}
