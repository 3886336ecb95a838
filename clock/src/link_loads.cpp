#include "link_loads.hpp"

#include "rates.hpp"

#include <algorithm>

namespace copse::clock {

/// The two ends of a link that is no rung differ by 2, but for the link that joins a torus's ends:
/// that one leaves the last rung for the first upwards.
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
  }
  return machine_.ladderBytesPerSecond;
}

void LinkLoads::visitHops(const Flow &flow, const auto &f) const {
  const bool inPair = flow.from.value / 2 == flow.to.value / 2;
  visitLinks(flow, [&](const fabric::LinkUse &hop) { f(hop.from.value, laneOf(hop, inPair)); });
}

void LinkLoads::add(const Flow &flow) {
  visitHops(flow, [&](std::uint32_t ipu, Lane lane) {
    bytes_[ipu][static_cast<std::size_t>(lane)] += flow.bytes;
  });
}

wire::Cycles LinkLoads::time(const Flow &flow) const {
  // One lane of each kind is the slowest of its kind, so only that one is divided by its bandwidth.
  std::array<std::uint64_t, kLanes> most{};
  std::uint64_t hops = 0;
  visitHops(flow, [&](std::uint32_t ipu, Lane lane) {
    const auto kind = static_cast<std::size_t>(lane);
    most[kind] = std::max(most[kind], bytes_[ipu][kind]);
    ++hops;
  });
  wire::Cycles slowest;
  for (std::size_t kind = 0; kind < kLanes; ++kind)
    slowest = std::max(slowest, cyclesOfBytes(most[kind], bandwidth(static_cast<Lane>(kind)),
                                              machine_.tileClockHz));
  return slowest + wire::Cycles{hops * machine_.hopLatencyCycles};
}

} // namespace copse::clock
