#pragma once

#include <algorithm>
#include <cstdint>

namespace copse::clock {

/// Returns \p all x \p part / \p whole, rounded down; if that overflows, the greatest number.
inline std::uint64_t shareOf(std::uint64_t all, std::uint64_t part, std::uint64_t whole) {
  const auto share = static_cast<unsigned __int128>(all) * part / whole;
  return static_cast<std::uint64_t>(std::min<unsigned __int128>(share, UINT64_MAX));
}

} // namespace copse::clock
