// gc-links: lists the IPU-Links of a partition, their state, and the counters of a probe on each.
#include "clock/wiring.hpp"
#include "link_probe.hpp"
#include "report.hpp"

#include "engine/cluster_nodes.hpp"
#include "engine/cluster_part.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/topology.hpp"
#include "machine/machine_models.hpp"
#include "types/target_description.hpp"

#include <optional>
#include <poplar/Target.hpp>
#include <stdexcept>

namespace {

using namespace copse;
using tools::Rows;

struct Options {
  std::uint32_t ipus = 4;
  std::string topology, transport; ///< empty: the cluster's, else mesh and shm
  std::optional<engine::ClusterPart> part;
  std::uint32_t bytes = 4096;

  wire::Topology links() const {
    if (topology.empty() && part)
      return part->cluster.topology;
    return topology == "torus" ? wire::Topology::Torus : wire::Topology::Mesh;
  }
};

/// The probe has no streams and prints nothing.
class NoStreams : public session::StreamHandler {
public:
  void fetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  bool prefetch(std::uint32_t, std::uint32_t, std::span<std::byte>) override { return false; }
  void complete(std::uint32_t, std::uint32_t) override {}
  void take(std::uint32_t, std::uint32_t, std::span<std::byte>) override {}
  void invalidatePrefetched(std::uint32_t, std::uint32_t) override {}
  void print(std::uint32_t, std::uint32_t, std::span<const std::byte>) override {}
};

void require(const wire::Status &status) {
  if (!status.ok())
    throw std::runtime_error(status.message);
}

types::TargetDescription targetOf(const Options &options) {
  return engine::inPodOf(options.part,
                         types::describe(poplar::Target::createIPUTarget(options.ipus, "ipu2")));
}

std::unique_ptr<session::Machine> start(const Options &options) {
  require(fabric::checkPartition(options.ipus));
  session::MachineOptions machine;
  machine.ipus = options.ipus;
  machine.topology = options.links();
  machine.transport = fabric::transportNamed(options.transport).value_or(session::Transport::Shm);
  machine.machineModel = machine::machineModelOf(targetOf(options));
  if (options.part) {
    std::vector<unsigned> ipus = options.part->ipus;
    if (options.ipus > ipus.size())
      throw std::runtime_error("the cluster has " + std::to_string(ipus.size()) + " IPUs only");
    ipus.resize(options.ipus);
    require(engine::useNodes(*options.part, ipus, machine));
  }
  auto started = session::Machine::start(machine);
  require(started.status());
  return std::move(*started);
}

/// Returns what joins two neighbours.
const char *kindOf(const fabric::Wiring &wiring, std::uint32_t ipu, std::uint32_t neighbour) {
  if (fabric::leadsThroughGateways(wiring, {ipu}, {neighbour}))
    return "gateways";
  return ipu / 2 == neighbour / 2 ? "rung" : "ladder";
}

Rows links(const Options &options) {
  const auto machine = start(options);
  const auto model = clock::parseMachineModel(machine::machineModelOf(targetOf(options)));
  require(model.status());
  const fabric::Wiring wiring = clock::wiringOf(*model, options.links(), options.ipus);
  require(machine->load(tools::linkProbe(wiring, options.bytes)));
  NoStreams none;
  require(machine->run(0, none).status());
  const auto counted = machine->links();
  require(counted.status());
  Rows rows;
  for (std::uint32_t ipu = 0; ipu < options.ipus; ++ipu)
    for (const auto &link : (*counted)[ipu]) {
      const bool up = link.packetsSent > 0 && link.packetsReceived > 0;
      rows.push_back({{"ipu", ipu},
                      {"neighbour", link.neighbour},
                      {"kind", kindOf(wiring, ipu, link.neighbour)},
                      {"state", up ? "up" : "silent"},
                      {"packets_sent", link.packetsSent},
                      {"bytes_sent", link.bytesSent},
                      {"packets_received", link.packetsReceived},
                      {"bytes_received", link.bytesReceived},
                      {"forwarded", link.forwarded},
                      {"resent", link.resent},
                      {"repeats", link.repeats},
                      {"refused", link.refused}});
    }
  return rows;
}

} // namespace

int main(int argc, char **argv) {
  CLI::App app{"Sends a packet over each IPU-Link of a partition, in both directions, and prints "
               "the state and counters of the links.",
               "gc-links"};
  Options options;
  app.add_option("--ipus", options.ipus, "number of IPUs of the partition")
      ->check(CLI::Range(1u, fabric::kMaxIpus))
      ->capture_default_str();
  app.add_option("--topology", options.topology, "topology of the IPU-Links")
      ->check(CLI::IsMember({"mesh", "torus"}));
  app.add_option(
         "--transport", options.transport,
         "start IPUs for this tool alone, with this transport: shm (the default), ipc or tcp")
      ->check(CLI::IsMember({"shm", "ipc", "tcp"}));
  app.add_option("--bytes", options.bytes, "bytes sent over each link and direction")
      ->check(CLI::Range(1, 1 << 16))
      ->capture_default_str();
  return tools::runTool(app, argc, argv, [&] {
    if (options.transport.empty())
      options.part = engine::clusterPartOfThisMachine();
    return links(options);
  });
}
