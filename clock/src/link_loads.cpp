#include "link_loads.hpp"

#include "clock/wiring.hpp"
#include "rates.hpp"

#include <algorithm>

namespace copse::clock {

LinkLoads::LinkLoads(const MachineModel &machine, wire::Topology topology, std::uint32_t ipus)
    : machine_(machine), router_(wiringOf(machine, topology, ipus)), bytes_(ipus) {}

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
    const bool all = router_.wiring().domains() == 2 || router_.wiring().switched;
    const double links = machine_.pod->gatewayLinksPerMachine;
    return machine_.pod->gatewayLinkBytesPerSecond * (all ? links : std::max(1.0, links / 2));
  }
  }
  return machine_.ladderBytesPerSecond;
}

std::uint32_t LinkLoads::machineOf(wire::IpuId ipu) const {
  return ipu.value / machine_.pod->ipusPerMachine * machine_.pod->ipusPerMachine;
}

/// A hop from one domain to another leaves the gateway of its machine, and behind a switch enters
/// the gateway of the other machine.
void LinkLoads::visitGateways(const fabric::LinkUse &hop, const auto &f) const {
  const fabric::Wiring &wiring = router_.wiring();
  const std::uint32_t from = wiring.domainOf(hop.from), to = wiring.domainOf(hop.to);
  const bool goesUp = wiring.switched || (from + 1) % wiring.domains() == to;
  f(machineOf(hop.from), goesUp ? Lane::GatewayUp : Lane::GatewayDown);
  if (wiring.switched)
    f(machineOf(hop.to), Lane::GatewayDown);
}

void LinkLoads::visitHops(const Flow &flow, const auto &f) const {
  fabric::LinkUse came = fabric::Router::start(flow.from);
  const fabric::Wiring &wiring = router_.wiring();
  if (leadsThroughGateways(wiring, flow.from, flow.to)) {
    f(flow.from.value, Lane::ToGateway);
    while (leadsThroughGateways(wiring, came.to, flow.to)) {
      came = router_.next(came, flow.to);
      visitGateways(came, f);
    }
    f(came.to.value, Lane::FromGateway);
  }
  const bool inPair = came.to.value / 2 == flow.to.value / 2;
  while (came.to != flow.to) {
    came = router_.next(came, flow.to);
    f(came.from.value, laneOf(came, inPair));
  }
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
