#include "link_probe.hpp"

namespace copse::tools {
namespace {

constexpr std::uint32_t kMemoryBase = 0x4C000, kMemoryBytes = 0x9C000; // a tile of Mk2

wire::Step step(wire::Op op, std::uint32_t index) {
  wire::Step one;
  one.op = op;
  one.index = index;
  return one;
}

std::vector<wire::Flow> allFlows(const fabric::Wiring &wiring, std::uint32_t bytes) {
  std::vector<wire::Flow> flows;
  for (std::uint32_t ipu = 0; ipu < wiring.ipus; ++ipu)
    for (const wire::IpuId neighbour : fabric::neighbours(wiring, {ipu}))
      flows.push_back({ipu, neighbour.value, bytes});
  return flows;
}

} // namespace

session::Program linkProbe(const fabric::Wiring &wiring, std::uint32_t bytes) {
  session::Program program;
  for (std::uint32_t ipu = 0; ipu < wiring.ipus; ++ipu) {
    wire::Image image;
    image.ipu = ipu;
    image.ipusPerReplica = wiring.ipus;
    image.geometry.tiles = 1;
    image.geometry.memoryBase = kMemoryBase;
    image.geometry.memoryBytes = kMemoryBytes;
    wire::Exchange exchange;
    exchange.name = "probe";
    exchange.flows = allFlows(wiring, bytes);
    // Memory of what is sent lies before memory of what is received.
    std::uint32_t address = kMemoryBase + bytes;
    for (const wire::IpuId neighbour : fabric::neighbours(wiring, {ipu})) {
      exchange.sends.push_back({neighbour.value, {{0, kMemoryBase, bytes, 1, 0}}, bytes});
      exchange.receives.push_back({neighbour.value, {{0, address, bytes, 1, 0}}, bytes});
      address += bytes;
    }
    image.exchanges.push_back(std::move(exchange));
    const auto group = static_cast<std::uint32_t>(wire::SyncGroup::GS1);
    image.steps = {step(wire::Op::Sync, group), step(wire::Op::Exchange, 0),
                   step(wire::Op::Sync, group)};
    image.programs = {{0, 3}};
    program.images.push_back(std::make_shared<const wire::Image>(std::move(image)));
  }
  program.modules = [](const std::string &) { return std::span<const std::byte>(); };
  return program;
}

} // namespace copse::tools
