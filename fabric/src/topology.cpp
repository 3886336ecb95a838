#include "fabric/topology.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace copse::fabric {

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

std::vector<wire::IpuId> neighbours(wire::Topology topology, std::uint32_t ipus, wire::IpuId self) {
  assert(checkPartition(ipus).ok() && self.value < ipus);
  if (ipus == 1)
    return {};
  std::vector<wire::IpuId> found;
  if (const wire::IpuId across{self.value ^ 1u}; across.value < ipus)
    found.push_back(across);
  const bool closed = isClosed(topology, ipus);
  if (self.value + 2 < ipus || closed)
    found.push_back({(self.value + 2) % ipus});
  if (self.value >= 2 || closed)
    found.push_back({(self.value + ipus - 2) % ipus});
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace copse::fabric
