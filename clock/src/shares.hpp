#pragma once

#include <algorithm>
#include <cstdint>

namespace copse::clock {

/// Returns \p all x \p part / \p whole, rounded down; the greatest number instead of a greater one.
inline std::uint64_t shareOf(std::uint64_t all, std::uint64_t part, std::uint64_t whole) {
  const auto share = static_cast<unsigned __int128>(all) * part / whole;
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(share, UINT64_MAX));
}

} // namespace copse::clock
