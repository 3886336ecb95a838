#pragma once

#include <cstdint>
#include <random>

namespace copse::session {

/// Returns a number that is unique with very high probability, and never 0.
inline std::uint64_t newToken() {
  std::random_device device;
  return std::uniform_int_distribution<std::uint64_t>(1)(device);
}

} // namespace copse::session
