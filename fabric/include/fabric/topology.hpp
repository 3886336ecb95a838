#pragma once

#include "wire/ids.hpp"
#include "wire/result.hpp"

#include <cstdint>
#include <vector>

/// How IPU-Links join the IPUs of a partition: a ladder whose rungs are pairs of IPUs (2r, 2r+1);
/// in a torus the ladder's ends are joined, too. A torus of two rungs or fewer is wired as the
/// mesh: its ends are neighbours already.  Source: guide, 2.7.1.
namespace copse::fabric {

inline constexpr std::uint32_t kMaxIpus = 64;

/// \returns success for 1 to kMaxIpus, else InvalidOption. Hardware is even; models need not be.
wire::Status checkPartition(std::uint32_t ipus);

/// Whether the ladder's ends are joined.
bool isClosed(wire::Topology topology, std::uint32_t ipus);

/// The IPUs that a link joins to \p self, ascending; none for a partition of one.
/// \param ipus  a number that checkPartition() accepts; \p self is below it
std::vector<wire::IpuId> neighbours(wire::Topology topology, std::uint32_t ipus, wire::IpuId self);

} // namespace copse::fabric
