// gc-reset: checks that the IPUs of a device start from nothing, and answer.
#include "cluster/key_files.hpp"
#include "devices.hpp"
#include "report.hpp"
#include "trial.hpp"

#include "engine/cluster_part.hpp"
#include "session/node_query.hpp"

#include <chrono>
#include <poplar/DeviceManager.hpp>
#include <poplar/Program.hpp>
#include <stdexcept>

namespace {

using namespace copse::tools;

constexpr std::chrono::seconds kTimeout{3};

/// In a cluster, evicts the program that holds the device's IPUs.
void takeFromOthers(const DeviceChoice &choice) {
  const auto part = copse::engine::clusterPartOfThisMachine();
  if (!part || !choice.id)
    throw std::runtime_error("--force is for a device of a cluster; name it with --device-id, and "
                             "the cluster with COPSE_CLUSTER");
  const auto keys = copse::cluster::keysOfHost(part->cluster);
  if (!keys)
    throw std::runtime_error(keys.status().message);
  zmq::context_t context(1);
  for (const unsigned ipu : poplar::DeviceManager().getDevice(*choice.id).getDriverIDs()) {
    const auto status = copse::session::resetNode(
        context, copse::session::nodeAt(part->cluster, ipu, keys.value().get()), kTimeout);
    if (!status.ok())
      throw std::runtime_error("ipu " + std::to_string(ipu) + ": " + status.message +
                               "; start its ipud again");
  }
}

/// Without a cluster, a program's IPUs are its own, so no other program is affected. In a cluster,
/// the device must be free, unless \p force is set.
Rows reset(const DeviceChoice &choice, bool force) {
  if (force)
    takeFromOthers(choice);
  const poplar::Device device = attachDevice(choice);
  device.reset();
  poplar::Graph graph(device);
  const unsigned ipus = graph.getTarget().getNumIPUs();
  measure(device, graph, poplar::program::Sync(poplar::SyncType::GLOBAL));
  return {{{"device", device.getId()}, {"ipus", ipus}, {"state", "ready"}}};
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Resets a device and waits until all of its IPUs reply.", "gc-reset"};
  DeviceChoice choice;
  bool force = false;
  choice.addOptions(app);
  app.add_flag("--force", force, "in a cluster: take the device from the program that holds it");
  app.add_flag("-p,--parity-init")
      ->description("accepted, without effect: each reset initialises the tiles' parity");
  return runTool(app, argc, argv, [&] { return reset(choice, force); });
}
