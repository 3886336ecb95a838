#include "fabric/router.hpp"

#include <cassert>

namespace copse::fabric {
namespace {

std::uint32_t rungOf(wire::IpuId ipu) { return ipu.value / 2; }
std::uint32_t sideOf(wire::IpuId ipu) { return ipu.value % 2; }
wire::IpuId acrossRung(wire::IpuId ipu) { return {ipu.value ^ 1u}; }

} // namespace

Router::Router(wire::Topology topology, std::uint32_t ipus)
    : ipus_(ipus), closed_(isClosed(topology, ipus)) {
  assert(ipus >= 1);
}

LinkUse Router::next(wire::IpuId self, wire::IpuId to, std::uint8_t channel) const {
  assert(self != to && self.value < ipus_ && to.value < ipus_);
  if (sideOf(self) != sideOf(to)) {
    // With an odd number of IPUs, the last is alone on its rung: its packets go down one rung
    // first.
    const wire::IpuId across = acrossRung(self);
    return {self, across.value < ipus_ ? across : wire::IpuId{self.value - 2}, channel};
  }
  const wire::IpuId there = nextRung(self, to);
  return {self, there, crossesDateline(self, there) ? std::uint8_t{1} : channel};
}

wire::IpuId Router::nextRung(wire::IpuId self, wire::IpuId to) const {
  const std::uint32_t rungs = ipus_ / 2;
  const std::uint32_t up =
      // [rungs], across the joined ends of a torus if need be.
      (rungOf(to) + rungs - rungOf(self)) % rungs;
  const bool goUp = closed_ ? 2 * up <= rungs : rungOf(to) > rungOf(self);
  return {(self.value + (goUp ? 2 : ipus_ - 2)) % ipus_};
}

bool Router::crossesDateline(wire::IpuId from, wire::IpuId to) const {
  const std::uint32_t last = ipus_ / 2 - 1;
  return closed_ &&
         ((rungOf(from) == last && rungOf(to) == 0) || (rungOf(from) == 0 && rungOf(to) == last));
}

std::vector<LinkUse> Router::route(wire::IpuId from, wire::IpuId to) const {
  std::vector<LinkUse> links;
  std::uint8_t channel = 0;
  for (wire::IpuId at = from; at != to; at = links.back().to) {
    links.push_back(next(at, to, channel));
    channel = links.back().channel;
  }
  return links;
}

unsigned Router::hops(wire::IpuId from, wire::IpuId to) const {
  return static_cast<unsigned>(route(from, to).size());
}

} // namespace copse::fabric
