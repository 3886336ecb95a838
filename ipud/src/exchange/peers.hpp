#pragma once

#include "ipud/environment.hpp"
#include "wire/ids.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// Returns the replica that receives the data of replica \p own in \p exchange.
std::uint32_t targetReplica(const wire::Exchange &exchange, std::uint32_t own);
/// Returns the replica whose data replica \p own receives in \p exchange.
std::uint32_t sourceReplica(const wire::Exchange &exchange, std::uint32_t own);

inline wire::IpuId ipuOf(const PlaceInPartition &place, std::uint32_t replica, std::uint32_t ipu) {
  return {replica * place.ipusPerReplica + ipu};
}

/// Returns the other IPUs to which the program of \p image sends, or from which it receives, each
/// once.
std::vector<wire::IpuId> peersOf(const wire::Image &image, const PlaceInPartition &place);

} // namespace copse::ipud
