// gc-reset: whether the IPUs of a device come up, from nothing, and answer.
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include <poplar/Program.hpp>

namespace {

using namespace copse::tools;

/// A program's IPUs are its own, so none of another program is touched.
Rows reset(const DeviceChoice &choice) {
  const poplar::Device device = attachDevice(choice);
  device.reset();
  poplar::Graph graph(device);
  const unsigned ipus = graph.getTarget().getNumIPUs();
  measure(device, graph, poplar::program::Sync(poplar::SyncType::GLOBAL));
  return {{{"device", device.getId()}, {"ipus", ipus}, {"state", "ready"}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Resets a device and waits until all of its IPUs answer.", "gc-reset"};
  DeviceChoice choice;
  choice.addOptions(app);
  return runTool(app, argc, argv, [&] { return reset(choice); });
}
