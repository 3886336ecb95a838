#pragma once

#include "processor/float_vectors.hpp"

/// Vectors of four halves. Exact in the mode that FlushesDenormals sets.
namespace copse::ipud::fp {

inline __m128i halvesIn(std::uint64_t halves) {
  return _mm_cvtsi64_si128(static_cast<long long>(halves));
}

/// Returns all ones in each lane whose half is an infinity or a NaN.
inline __m128 specials(std::uint64_t halves) {
  const __m128i exponents = _mm_set1_epi16(kExponent16);
  return _mm_castsi128_ps(_mm_unpacklo_epi16(
      _mm_setzero_si128(), _mm_cmpeq_epi16(_mm_and_si128(halvesIn(halves), exponents), exponents)));
}

/// Widens four halves that are numbers.
[[gnu::always_inline]] inline __m128 widened(std::uint64_t halves) {
  static constexpr Pattern32 kMagnitude{0x7FFF}, kRebias{0x38000000}, kLargestDenormal{0x03FF},
      kUnit{0x33800000}; // 2^-24
  const __m128i bits = _mm_unpacklo_epi16(halvesIn(halves), _mm_setzero_si128());
  const __m128i magnitude = _mm_and_si128(bits, kMagnitude);
  const __m128i sign = _mm_slli_epi32(_mm_xor_si128(bits, magnitude), 16);
  const __m128i normal = _mm_add_epi32(_mm_slli_epi32(magnitude, 13), kRebias);
  const __m128i denormal = _mm_castps_si128(_mm_mul_ps(_mm_cvtepi32_ps(magnitude), kUnit));
  const __m128i isNormal = _mm_cmpgt_epi32(magnitude, kLargestDenormal);
  return _mm_castsi128_ps(_mm_or_si128(
      sign, _mm_or_si128(_mm_and_si128(isNormal, normal), _mm_andnot_si128(isNormal, denormal))));
}

/// Rounds \p values to the nearest halves, ties to even.
/// \returns false if one of them is not finite or rounds to more than 65504
[[gnu::always_inline]] inline bool narrow(__m128 values, std::uint64_t &halves) {
  static constexpr Pattern32 kTooLarge{0x477FEFFF}, kLeastNormal{0x38800000}, kOne{1},
      kRebias{0x38000000 - 0x0FFF}, kHalf{0x3F000000}, kSign{kSign16};
  const __m128i bits = _mm_castps_si128(values);
  const __m128i magnitude = _mm_andnot_si128(kSigns, bits);
  if (any(_mm_cmpgt_epi32(magnitude, kTooLarge))) [[unlikely]]
    return false;
  const __m128i odd = _mm_and_si128(_mm_srli_epi32(magnitude, 13), kOne);
  const __m128i normal = _mm_srli_epi32(_mm_sub_epi32(_mm_add_epi32(magnitude, odd), kRebias), 13);
  // Adding 0.5 makes the host round to multiples of the least denormal.
  const __m128i denormal =
      _mm_sub_epi32(_mm_castps_si128(_mm_add_ps(_mm_castsi128_ps(magnitude), kHalf)), kHalf);
  const __m128i isDenormal = _mm_cmplt_epi32(magnitude, kLeastNormal);
  const __m128i rounded =
      _mm_or_si128(_mm_and_si128(isDenormal, denormal), _mm_andnot_si128(isDenormal, normal));
  const __m128i whole = _mm_or_si128(rounded, _mm_and_si128(_mm_srli_epi32(bits, 16), kSign));
  // To 16 bits each: sign extension keeps the packing from saturating.
  const __m128i extended = _mm_srai_epi32(_mm_slli_epi32(whole, 16), 16);
  halves = static_cast<std::uint64_t>(_mm_cvtsi128_si64(_mm_packs_epi32(extended, extended)));
  return true;
}

} // namespace copse::ipud::fp
