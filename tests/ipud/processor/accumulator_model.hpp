#pragma once

#include "number_model.hpp"

#include <array>

/// Accumulators by their definition: every sum and product rounded on its own, in double.
namespace copse::ipud::model {

using Word = std::uint32_t;
using Accumulators = std::array<Word, 32>; ///< patterns

/// Returns a + b as accumulators add: without flags.
inline Word added(Word a, Word b) { return singleOf(valueOf(a) + valueOf(b)); }

/// Returns x * y rounded to f32.
inline Word product(Word x, Word y, Word &flags) {
  const double exact = valueOf(x) * valueOf(y);
  if (isSignalling(x) || isSignalling(y) || (std::isnan(exact) && !isNaN(x) && !isNaN(y)))
    flags |= kInvalid;
  return singleOf(exact);
}

/// Returns the value as an accumulator stores it.
inline Word taken(Word x, Word &flags) {
  flags |= isSignalling(x) ? kInvalid : 0;
  return isNaN(x) ? kNaN32 : singleOf(valueOf(x));
}
inline Word taken16(Word h, Word &flags) {
  flags |= isError16(h) ? kInvalid : 0;
  return isNumber16(h) ? singleOf(valueOf16(h)) : kNaN32;
}

/// Returns the f32 nearest to sum * 2^exponent.
inline Word singleOfInteger(__int128 sum, int exponent) {
  const auto magnitude = static_cast<unsigned __int128>(sum < 0 ? -sum : sum);
  int shift = 0;
  while (magnitude >> shift >= (std::uint64_t{1} << 51))
    ++shift;
  // Digits below a double's last only decide ties.
  auto digits = static_cast<std::uint64_t>(magnitude >> shift);
  if (static_cast<unsigned __int128>(digits) << shift != magnitude)
    digits |= 1;
  const double value = std::ldexp(static_cast<double>(digits), shift + exponent);
  return singleOf(sum < 0 ? -value : value);
}

/// Returns the sum of products of halves, exact and rounded once.
template <std::size_t N>
Word dot(const std::array<Word, N> &x, const std::array<Word, N> &y, Word &flags) {
  bool allNumbers = true;
  for (std::size_t i = 0; i < N; ++i) {
    flags |= isError16(x[i]) || isError16(y[i]) ? kInvalid : 0;
    allNumbers &= isNumber16(x[i]) && isNumber16(y[i]);
  }
  if (!allNumbers)
    return kNaN32;
  __int128 sum = 0;
  for (std::size_t i = 0; i < N; ++i)
    sum += static_cast<__int128>(valueOf16(x[i]) * 0x1p24) *
           static_cast<__int128>(valueOf16(y[i]) * 0x1p24);
  return singleOfInteger(sum, -48);
}

/// Returns an accumulator as f32, and as a half.
inline Word given(Word a, Word &flags) {
  flags |= (a & 0x7FFFFFFF) == kInfinity32 ? kOverflow : 0;
  return isNaN(a) ? kNaN32 : a;
}
inline Word given16(Word a, Word &flags, const Generator::Draw *draw = nullptr, unsigned i = 0) {
  if (isNaN(a))
    return kNaN16;
  if (!isFinite(a)) {
    flags |= kOverflow | kInvalid;
    return kNaN16;
  }
  const Outcome o = draw ? stochasticHalf(a, *draw, i) : halfOf(valueOf(a));
  flags |= o.flags;
  return static_cast<Word>(o.bits);
}

} // namespace copse::ipud::model
