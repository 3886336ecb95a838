#pragma once

#include <cstddef>

namespace copse::tile_work {

/// Returns the smallest number of parts of at most \p part elements that hold \p whole elements.
inline std::size_t dividedUp(std::size_t whole, std::size_t part) {
  return (whole + part - 1) / part;
}

} // namespace copse::tile_work
