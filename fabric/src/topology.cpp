#include "fabric/topology.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace copse::fabric {

namespace {

std::vector<wire::IpuId> withinDomain(const Wiring &wiring, wire::IpuId self) {
  const std::uint32_t domain = wiring.domainOf(self);
  const std::uint32_t first = domain * wiring.domainSize(), ipus = wiring.sizeOf(domain);
  const std::uint32_t place = self.value - first;
  std::vector<wire::IpuId> found;
  if (ipus == 1)
    return found;
  if ((place ^ 1u) < ipus)
    found.push_back({first + (place ^ 1u)});
  const bool closed = isClosed(wiring.topology, ipus);
  if (place + 2 < ipus || closed)
    found.push_back({first + (place + 2) % ipus});
  if (place >= 2 || closed)
    found.push_back({first + (place + ipus - 2) % ipus});
  return found;
}

std::vector<std::uint32_t> joinedDomains(const Wiring &wiring, std::uint32_t domain) {
  const std::uint32_t domains = wiring.domains();
  std::vector<std::uint32_t> joined;
  for (std::uint32_t other = 0; other < domains; ++other)
    if (other != domain &&
        (wiring.switched || (domain + 1) % domains == other || (other + 1) % domains == domain))
      joined.push_back(other);
  return joined;
}

} // namespace

wire::Status checkPartition(std::uint32_t ipus) {
  if (ipus >= 1 && ipus <= kMaxIpus)
    return wire::Status::success();
  return {wire::Code::InvalidOption, "no partition of " + std::to_string(ipus) +
                                         " IPUs: use a number from 1 to " +
                                         std::to_string(kMaxIpus)};
}

bool isClosed(wire::Topology topology, std::uint32_t ipus) {
  return topology == wire::Topology::Torus && ipus % 2 == 0 && ipus / 2 > 2;
}

bool leadsThroughGateways(const Wiring &wiring, wire::IpuId one, wire::IpuId other) {
  return wiring.domainOf(one) != wiring.domainOf(other);
}

std::vector<wire::IpuId> neighbours(const Wiring &wiring, wire::IpuId self) {
  assert(checkPartition(wiring.ipus).ok() && self.value < wiring.ipus);
  std::vector<wire::IpuId> found = withinDomain(wiring, self);
  for (const std::uint32_t domain : joinedDomains(wiring, wiring.domainOf(self))) {
    found.push_back(wiring.counterpartOf(self, domain));
    // IPUs of a larger domain that share this one.
    for (std::uint32_t place = 0; place < wiring.sizeOf(domain); ++place)
      if (const wire::IpuId other{domain * wiring.domainSize() + place};
          wiring.counterpartOf(other, wiring.domainOf(self)) == self)
        found.push_back(other);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

} // namespace copse::fabric
