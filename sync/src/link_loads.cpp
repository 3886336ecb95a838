#include "link_loads.hpp"

#include "rates.hpp"

#include <algorithm>

namespace copse::sync {
namespace {

/// The IPUs after \p from on the way to \p to: over the own rung first, then up or down the ladder,
/// the shorter way round where its ends are joined (up, if both are as long).
std::vector<wire::IpuId> route(wire::Topology topology, std::uint32_t ipus, wire::IpuId from,
                               wire::IpuId to) {
  std::vector<wire::IpuId> hops;
  const std::uint32_t side = to.value % 2, target = to.value / 2, rungs = (ipus + 1) / 2;
  if (from.value % 2 != side)
    hops.push_back({from.value / 2 * 2 + side});
  std::uint32_t rung = from.value / 2;
  const std::uint32_t upwards = (target + rungs - rung) % rungs;
  const bool up = topology == wire::Topology::Mesh ? target > rung : upwards <= rungs - upwards;
  while (rung != target) {
    rung = (rung + (up ? 1 : rungs - 1)) % rungs;
    hops.push_back({rung * 2 + side});
  }
  return hops;
}

} // namespace

std::vector<LinkLoads::Lane> LinkLoads::lanes(const Flow &flow) const {
  std::vector<Lane> lanes;
  const bool inPair = flow.from.value / 2 == flow.to.value / 2;
  wire::IpuId at = flow.from;
  for (const auto next : route(topology_, ipus_, flow.from, flow.to)) {
    const bool rung = at.value / 2 == next.value / 2;
    lanes.push_back({at, next, rung && !inPair});
    at = next;
  }
  return lanes;
}

double LinkLoads::bandwidth(const Lane &lane) const {
  if (lane.from.value / 2 != lane.to.value / 2)
    return machine_.ladderBytesPerSecond;
  return lane.crossing ? machine_.crossingBytesPerSecond : machine_.rungBytesPerSecond;
}

void LinkLoads::add(const Flow &flow) {
  for (const auto &lane : lanes(flow))
    bytes_[lane] += flow.bytes;
}

wire::Cycles LinkLoads::time(const Flow &flow) const {
  wire::Cycles slowest;
  const auto hops = lanes(flow);
  for (const auto &lane : hops)
    slowest =
        std::max(slowest, cyclesOfBytes(bytes_.at(lane), bandwidth(lane), machine_.tileClockHz));
  return slowest + wire::Cycles{hops.size() * machine_.hopLatencyCycles};
}

} // namespace copse::sync
