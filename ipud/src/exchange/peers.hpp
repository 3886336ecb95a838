#pragma once

#include "ipud/environment.hpp"
#include "wire/ids.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <vector>

namespace copse::ipud {

/// The replica that receives what replica \p own sends in \p exchange.
std::uint32_t targetReplica(const wire::Exchange &exchange, std::uint32_t own);
/// The replica whose data replica \p own receives in \p exchange.
std::uint32_t sourceReplica(const wire::Exchange &exchange, std::uint32_t own);

inline wire::IpuId ipuOf(const PlaceInPartition &place, std::uint32_t replica, std::uint32_t ipu) {
  return {replica * place.ipusPerReplica + ipu};
}

/// The other IPUs to which the program of \p image sends, or from which it receives. Each once.
std::vector<wire::IpuId> peersOf(const wire::Image &image, const PlaceInPartition &place);

} // namespace copse::ipud
