#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <cstdint>
#include <vector>

/// IPU-Links join the IPUs of a domain: a ladder whose rungs are pairs of IPUs (2r, 2r+1); in a
/// torus the ladder's ends are joined, too. A torus of two rungs or fewer is wired as the mesh: its
/// ends are neighbours already.  Source: guide, 2.7.1. GW-Links join the domains of a partition.
namespace copse::fabric {

inline constexpr std::uint32_t kMaxIpus = 256;        ///< most IPUs in a partition of processes
inline constexpr std::uint32_t kMaxIpusOfDomain = 64; ///< most IPUs that IPU-Links join in hardware

/// How the IPUs of a partition are joined. IPUs are numbered by domain. A gateway is not a process
/// of its own: each IPU has a link to the IPU in its place of another domain, which stands for the
/// path from its machine's gateway to the other one.
struct Wiring {
  wire::Topology topology = wire::Topology::Mesh;
  std::uint32_t ipus = 1;
  /// The number of IPUs in an IPU-Link domain; the last domain may have fewer. 0: all are in one
  /// domain.
  std::uint32_t domain = 0;
  /// Each domain is joined to all others through a switch; otherwise to the next one, and the last
  /// to the first.
  bool switched = false;

  std::uint32_t domainSize() const { return domain == 0 || domain > ipus ? ipus : domain; }
  std::uint32_t domains() const { return (ipus + domainSize() - 1) / domainSize(); }
  std::uint32_t domainOf(wire::IpuId ipu) const { return ipu.value / domainSize(); }
  /// Returns the number of IPUs in domain \p number.
  std::uint32_t sizeOf(std::uint32_t number) const {
    const std::uint32_t before = number * domainSize();
    return ipus - before < domainSize() ? ipus - before : domainSize();
  }
  /// Returns the IPU in the place of \p ipu in domain \p number. If that domain is smaller, several
  /// IPUs share one counterpart.
  wire::IpuId counterpartOf(wire::IpuId ipu, std::uint32_t number) const {
    return {number * domainSize() + ipu.value % domainSize() % sizeOf(number)};
  }
};

/// Checks the number of IPUs of a partition. In hardware the number is even; a modelled partition
/// may be odd.
/// \returns success for 1 to kMaxIpus, else InvalidOption
wire::Status checkPartition(std::uint32_t ipus);

/// Returns true if the ends of a domain's ladder are joined.
bool isClosed(wire::Topology topology, std::uint32_t ipus);

/// Returns true if the two IPUs are in different domains, so that a link between them leads through
/// gateways.
bool leadsThroughGateways(const Wiring &wiring, wire::IpuId one, wire::IpuId other);

/// Returns the IPUs that a link joins to \p self, ascending; an empty list for a partition of one.
/// \param wiring  a number of IPUs that checkPartition() accepts; \p self is below it
std::vector<wire::IpuId> neighbours(const Wiring &wiring, wire::IpuId self);

} // namespace copse::fabric
