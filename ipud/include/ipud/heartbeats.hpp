#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace copse::ipud {

/// The schedule of heartbeats, which both ends of a session send. Silence is counted in own
/// heartbeats instead of time: a process that was suspended has sent none, so it does not blame its
/// peer.
struct Heartbeats {
  int perLease = 4; ///< a peer that is silent for more beats than this is gone
  std::chrono::milliseconds interval{};
};

/// Returns the heartbeats of a lease. A silent peer is detected after at most the lease plus one
/// interval, so an interval is a quarter of a short lease, and half a second of a long one.
inline Heartbeats heartbeatsFor(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds kLongest{500};
  const auto perLease =
      std::max<std::int64_t>(4, (lease - std::chrono::milliseconds(1)) / kLongest + 1);
  return {static_cast<int>(perLease), lease / perLease};
}

} // namespace copse::ipud
