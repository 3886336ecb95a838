#include "fabric/topology.hpp"

#include <algorithm>
#include <cassert>
#include <string>

namespace copse::fabric {

wire::Status checkPartition(std::uint32_t ipus) {
  if (ipus == 1 || (ipus >= 2 && ipus <= kMaxIpus && ipus % 2 == 0))
    return wire::Status::success();
  const char *why = ipus % 2 == 1 ? "pairs of IPUs form the rungs of the ladder" : "out of range";
  return {wire::Code::InvalidOption, "no partition of " + std::to_string(ipus) + " IPUs: " + why +
                                         "; use 1 or an even number from 2 to " +
                                         std::to_string(kMaxIpus)};
}

bool isClosed(wire::Topology topology, std::uint32_t ipus) {
  return topology == wire::Topology::Torus && ipus / 2 > 2;
}

std::vector<wire::IpuId> neighbours(wire::Topology topology, std::uint32_t ipus, wire::IpuId self) {
  assert(checkPartition(ipus).ok() && self.value < ipus);
  if (ipus == 1)
    return {};
  std::vector<wire::IpuId> found{{self.value ^ 1u}};
  const bool closed = isClosed(topology, ipus);
  if (self.value + 2 < ipus || closed)
    found.push_back({(self.value + 2) % ipus});
  if (self.value >= 2 || closed)
    found.push_back({(self.value + ipus - 2) % ipus});
  std::sort(found.begin(), found.end());
  return found;
}

} // namespace copse::fabric
