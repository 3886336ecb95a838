#pragma once

#include "popsolver/domains.hpp"

#include <algorithm>
#include <limits>

/// Bounds during their computation: exact up to kTooMuch, which stands for all values that no
/// variable can have.
namespace gccs::popsolver {

__extension__ using Wide = unsigned __int128;

inline constexpr Value kMost = std::numeric_limits<Value>::max();
inline constexpr Wide kTooMuch = Wide(kMost) + 1;

inline Wide times(Wide a, Value b) { return std::min(a * b, kTooMuch); }
inline Value atMostAValue(Wide a) { return Value(std::min<Wide>(a, kMost)); }

/// \returns false if all values of \p v are smaller
inline bool atLeast(Domains &domains, Variable v, Wide least) {
  return least <= kMost && domains.atLeast(v, Value(least));
}

} // namespace gccs::popsolver
