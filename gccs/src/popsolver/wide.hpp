#pragma once

#include "popsolver/domains.hpp"

#include <algorithm>
#include <limits>

/// Bounds while they are computed: exact up to kTooMuch, which stands for all that no variable can be.
namespace gccs::popsolver {

__extension__ using Wide = unsigned __int128;

inline constexpr Value kMost = std::numeric_limits<Value>::max();
inline constexpr Wide kTooMuch = Wide(kMost) + 1;

inline Wide times(Wide a, Value b) { return std::min(a * b, kTooMuch); }
inline Value atMostAValue(Wide a) { return Value(std::min<Wide>(a, kMost)); }

/// \returns false if no value of \p v is as large
inline bool atLeast(Domains &domains, Variable v, Wide least) {
  return least <= kMost && domains.atLeast(v, Value(least));
}

} // namespace gccs::popsolver
