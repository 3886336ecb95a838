#pragma once

#include <chrono>

namespace copse::fabric {

/// How long a test waits for what must happen.
inline constexpr std::chrono::seconds kLongEnough{10};

inline std::chrono::steady_clock::time_point longEnough() {
  return std::chrono::steady_clock::now() + kLongEnough;
}

} // namespace copse::fabric
