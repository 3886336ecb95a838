#include "fabric/router.hpp"

#include <cassert>

namespace copse::fabric {
namespace {

/// The ladder of one domain, whose IPUs are numbered from 0.
struct Ladder {
  std::uint32_t ipus;
  bool closed;

  std::uint32_t nextRung(std::uint32_t self, std::uint32_t to) const {
    const std::uint32_t rungs = ipus / 2;
    const std::uint32_t up = (to / 2 + rungs - self / 2) % rungs; // [rungs], going round if need be
    const bool goUp = closed ? 2 * up <= rungs : to / 2 > self / 2;
    return (self + (goUp ? 2 : ipus - 2)) % ipus;
  }
  bool crossesDateline(std::uint32_t from, std::uint32_t to) const {
    const std::uint32_t last = ipus / 2 - 1;
    return closed && ((from / 2 == last && to / 2 == 0) || (from / 2 == 0 && to / 2 == last));
  }
};

} // namespace

Router::Router(const Wiring &wiring) : wiring_(wiring), domains_(wiring.domains()) {
  assert(wiring.ipus >= 1);
}

LinkUse Router::next(const LinkUse &came, wire::IpuId to) const {
  const wire::IpuId self = came.to;
  assert(self != to && self.value < ipus() && to.value < ipus());
  const std::uint32_t domain = wiring_.domainOf(self);
  if (domains_ > 1 && wiring_.domainOf(to) != domain)
    return throughGateways(came, wiring_.domainOf(to));
  const std::uint32_t first = domain * wiring_.domainSize(), ipus = wiring_.sizeOf(domain);
  const bool cameThroughGateways = domains_ > 1 && wiring_.domainOf(came.from) != domain;
  const std::uint8_t channel = cameThroughGateways ? std::uint8_t{0} : came.channel;
  const std::uint32_t here = self.value - first, there = to.value - first;
  if (here % 2 != there % 2) {
    // With an odd number of IPUs, the last is alone on its rung: its packets go down one rung
    // first.
    const std::uint32_t across = (here ^ 1u) < ipus ? here ^ 1u : here - 2;
    return {self, {first + across}, channel};
  }
  const Ladder ladder{ipus, isClosed(wiring_.topology, ipus)};
  const std::uint32_t rung = ladder.nextRung(here, there);
  return {self, {first + rung}, ladder.crossesDateline(here, rung) ? std::uint8_t{1} : channel};
}

LinkUse Router::throughGateways(const LinkUse &came, std::uint32_t to) const {
  const wire::IpuId self = came.to;
  if (wiring_.switched)
    return {self, wiring_.counterpartOf(self, to), 0};
  const std::uint32_t domain = wiring_.domainOf(self), last = domains_ - 1;
  const bool goUp = 2 * ((to + domains_ - domain) % domains_) <= domains_;
  const std::uint32_t next = (domain + (goUp ? 1 : last)) % domains_;
  const bool crossesDateline =
      domains_ > 2 && ((domain == last && next == 0) || (domain == 0 && next == last));
  return {self, wiring_.counterpartOf(self, next),
          crossesDateline ? std::uint8_t{1} : came.channel};
}

std::vector<LinkUse> Router::route(wire::IpuId from, wire::IpuId to) const {
  std::vector<LinkUse> links;
  for (LinkUse came = start(from); came.to != to; came = links.back())
    links.push_back(next(came, to));
  return links;
}

unsigned Router::hops(wire::IpuId from, wire::IpuId to) const {
  return static_cast<unsigned>(route(from, to).size());
}

} // namespace copse::fabric
