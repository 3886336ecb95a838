#include "link_loads.hpp"

#include "rates.hpp"

#include <algorithm>

namespace copse::clock {
namespace {

std::uint32_t remainderOr(std::uint32_t all, std::uint32_t size) {
  return all % size == 0 ? size : all % size;
}

} // namespace

LinkLoads::LinkLoads(const MachineModel &machine, wire::Topology topology, std::uint32_t ipus)
    : machine_(machine), ipus_(ipus), domain_(machine.domainOf(ipus)),
      domains_((ipus + domain_ - 1) / domain_), router_(topology, domain_),
      lastRouter_(topology, remainderOr(ipus, domain_)), bytes_(ipus) {}

/// The ends of a link between rungs differ by 2. The exception is the link that closes a torus: it
/// leads upwards from the last rung to the first.
LinkLoads::Lane LinkLoads::laneOf(const fabric::LinkUse &link, bool inPair) {
  const std::uint32_t from = link.from.value, to = link.to.value;
  if (from / 2 == to / 2)
    return inPair ? Lane::Rung : Lane::Crossing;
  return to == from + 2 || to + 2 < from ? Lane::Up : Lane::Down;
}

double LinkLoads::bandwidth(Lane lane) const {
  switch (lane) {
  case Lane::Up:
  case Lane::Down:
    break;
  case Lane::Rung:
    return machine_.rungBytesPerSecond;
  case Lane::Crossing:
    return machine_.crossingBytesPerSecond;
  case Lane::ToGateway:
    return machine_.pod->ipuToGatewayBytesPerSecond;
  case Lane::FromGateway:
    return machine_.pod->gatewayToIpuBytesPerSecond;
  case Lane::GatewayUp:
  case Lane::GatewayDown: {
    // With two domains, all GW-Links of a machine lead to the other domain; in a longer loop, half
    // of them do.
    const bool all = domains_ == 2 || machine_.pod->gatewayLinks == GatewayLinks::Switched;
    const double links = machine_.pod->gatewayLinksPerMachine;
    return machine_.pod->gatewayLinkBytesPerSecond * (all ? links : std::max(1.0, links / 2));
  }
  }
  return machine_.ladderBytesPerSecond;
}

wire::IpuId LinkLoads::counterpartOf(wire::IpuId ipu, std::uint32_t domain) const {
  const std::uint32_t first = domain * domain_, size = std::min(domain_, ipus_ - first);
  return {first + ipu.value % domain_ % size};
}

wire::IpuId LinkLoads::entryOf(const Flow &flow) const {
  const std::uint32_t to = flow.to.value / domain_;
  return flow.from.value / domain_ == to ? flow.from : counterpartOf(flow.from, to);
}

std::uint32_t LinkLoads::machineOf(wire::IpuId ipu) const {
  return ipu.value / machine_.pod->ipusPerMachine * machine_.pod->ipusPerMachine;
}

void LinkLoads::visitGateways(const Flow &flow, wire::IpuId entry, const auto &f) const {
  std::uint32_t domain = flow.from.value / domain_;
  const std::uint32_t to = flow.to.value / domain_;
  f(flow.from.value, Lane::ToGateway);
  if (machine_.pod->gatewayLinks == GatewayLinks::Switched) {
    f(machineOf(flow.from), Lane::GatewayUp);
    f(machineOf(entry), Lane::GatewayDown);
  } else {
    const bool goesUp = 2 * ((to + domains_ - domain) % domains_) <= domains_;
    for (; domain != to; domain = (domain + (goesUp ? 1 : domains_ - 1)) % domains_)
      f(machineOf(counterpartOf(flow.from, domain)), goesUp ? Lane::GatewayUp : Lane::GatewayDown);
  }
  f(entry.value, Lane::FromGateway);
}

void LinkLoads::visitHops(const Flow &flow, const auto &f) const {
  const wire::IpuId entry = entryOf(flow);
  if (entry != flow.from)
    visitGateways(flow, entry, f);
  const bool inPair = entry.value / 2 == flow.to.value / 2;
  visitLinks(flow, [&](const fabric::LinkUse &hop) { f(hop.from.value, laneOf(hop, inPair)); });
}

void LinkLoads::add(const Flow &flow) {
  visitHops(flow, [&](std::uint32_t ipu, Lane lane) {
    bytes_[ipu][static_cast<std::size_t>(lane)] += flow.bytes;
  });
}

wire::Cycles LinkLoads::time(const Flow &flow) const {
  // Only the busiest lane of each kind can be the slowest, so only that one is divided by its
  // bandwidth.
  std::array<std::uint64_t, kLanes> most{};
  std::uint64_t hops = 0, gatewayHops = 0;
  visitHops(flow, [&](std::uint32_t ipu, Lane lane) {
    const auto kind = static_cast<std::size_t>(lane);
    most[kind] = std::max(most[kind], bytes_[ipu][kind]);
    hops += lane <= Lane::Crossing ? 1 : 0;
    gatewayHops += lane >= Lane::GatewayUp ? 1 : 0;
  });
  wire::Cycles slowest;
  for (std::size_t kind = 0; kind < kLanes; ++kind)
    if (most[kind] > 0)
      slowest = std::max(slowest, cyclesOfBytes(most[kind], bandwidth(static_cast<Lane>(kind)),
                                                machine_.tileClockHz));
  if (gatewayHops > 0)
    slowest += cyclesOfSeconds(machine_.pod->gatewayHopSeconds, gatewayHops, machine_.tileClockHz);
  return slowest + wire::Cycles{hops * machine_.hopLatencyCycles};
}

} // namespace copse::clock
