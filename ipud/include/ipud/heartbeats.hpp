#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace copse::ipud {

/// When both ends of a session send heartbeats. Silence is counted in beats, not in time: a process
/// that was suspended has sent none itself, and cannot have heard any.
struct Heartbeats {
  int perLease = 4; ///< an end that has not been heard for one more than these is gone
  std::chrono::milliseconds interval{};
};

/// A peer that falls silent is noticed after the lease and one interval at the latest. So intervals
/// are a quarter of a short lease, and half a second of a long one.
inline Heartbeats heartbeatsFor(std::chrono::milliseconds lease) {
  constexpr std::chrono::milliseconds kLongest{500};
  const auto perLease =
      std::max<std::int64_t>(4, (lease - std::chrono::milliseconds(1)) / kLongest + 1);
  return {static_cast<int>(perLease), lease / perLease};
}

} // namespace copse::ipud
