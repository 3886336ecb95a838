#pragma once

#include "processor/matrix_vectors.hpp"

#include <immintrin.h>

/// Dot products with wider vectors than SSE2. Only for hosts with hasWideVectors(), and for callers
/// that are COPSE_WIDE too.
#define COPSE_WIDE [[gnu::target("avx2,fma,f16c")]]

namespace copse::ipud::fp {

/// Computes what dotHalves() computes, bit for bit. When it returns true, doubles hold all sums
/// exactly.
template <unsigned Fours>
COPSE_WIDE [[gnu::always_inline]] inline bool
dotHalvesWide(const Weights &weights, unsigned group, std::uint64_t halves, __m128 (&dots)[Fours]) {
  const Weights::Numbers &numbers = weights.numbers(group);
  const __m128i bits = halvesIn(halves);
  if (numbers.format != WeightFormat::Half || spreadOf(bits) > numbers.spread) [[unlikely]]
    return false;
  const __m256d x = _mm256_cvtps_pd(_mm_cvtph_ps(bits));
  const __m256d factors[] = {_mm256_permute4x64_pd(x, 0x00), _mm256_permute4x64_pd(x, 0x55),
                             _mm256_permute4x64_pd(x, 0xAA), _mm256_permute4x64_pd(x, 0xFF)};
  const Weights::Values &values = weights.values(group);
#pragma GCC unroll 4
  for (unsigned v = 0; v < Fours; ++v) {
    __m256d sum = _mm256_setzero_pd();
#pragma GCC unroll 4
    for (unsigned i = 0; i < 4; ++i)
      sum = _mm256_fmadd_pd(factors[i], _mm256_cvtps_pd(_mm_load_ps(&values[i][4 * v])), sum);
    dots[v] = _mm256_cvtpd_ps(sum);
  }
  return true;
}

} // namespace copse::ipud::fp
