#include "link_loads.hpp"

#include "rates.hpp"

#include <algorithm>

namespace copse::clock {
std::vector<LinkLoads::Lane> LinkLoads::lanes(const Flow &flow) const {
  std::vector<Lane> lanes;
  const bool inPair = flow.from.value / 2 == flow.to.value / 2;
  for (const auto &link : router_.route(flow.from, flow.to)) {
    const bool rung = link.from.value / 2 == link.to.value / 2;
    lanes.push_back({link.from, link.to, rung && !inPair});
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

} // namespace copse::clock
