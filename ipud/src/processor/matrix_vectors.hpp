#pragma once

#include "processor/half_vectors.hpp"
#include "processor/matrix_unit.hpp"

/// The AMP units as vectors, for ordinary numbers, in the mode that FlushesDenormals sets. No
/// function writes accumulators before all numbers are known to be ordinary.
namespace copse::ipud::fp {

/// The values of the units of a set.
struct Eight {
  __m128 low, high;
};
inline Eight loadedEight(const float *from) { return {_mm_load_ps(from), _mm_load_ps(from + 4)}; }
inline void store(float *to, const Eight &values) {
  _mm_store_ps(to, values.low);
  _mm_store_ps(to + 4, values.high);
}
inline Eight operator+(const Eight &a, const Eight &b) {
  return {_mm_add_ps(a.low, b.low), _mm_add_ps(a.high, b.high)};
}
/// Returns all ones in lanes where either half contains a NaN.
inline __m128 unordered(const Eight &values) { return _mm_cmpunord_ps(values.low, values.high); }

/// Returns what moves up in a set with \p units active units: the values of the units two further
/// back, and the partials.
[[gnu::always_inline]] inline Eight movedUp(const float *chain, __m128 partials, unsigned units) {
  if (units == kUnitsPerSet) [[likely]]
    return {_mm_loadu_ps(chain + 2), _mm_movelh_ps(loadedPair(chain + 6), partials)};
  alignas(16) float values[kUnitsPerSet];
  _mm_storeu_ps(values, _mm_loadu_ps(chain + 2));
  storePair(values + units - 2, partials);
  return loadedEight(values);
}
/// Stores the values of the first \p units units.
[[gnu::always_inline]] inline void store(float *to, const Eight &values, unsigned units) {
  if (units != 2)
    _mm_store_ps(to, values.low);
  else
    storePair(to, values.low);
  if (units == kUnitsPerSet) [[likely]]
    _mm_store_ps(to + 4, values.high);
  else if (units > 4)
    storePair(to + 4, values.high);
}

/// Returns the products of f32 weights with \p x, for which Weights::multipliesPlainly() must be
/// true.
inline Eight productsOf(const std::uint32_t *weights, std::uint32_t x) {
  const __m128 factor = _mm_set1_ps(asFloat(x));
  const Eight w = loadedEight(reinterpret_cast<const float *>(weights));
  return {_mm_mul_ps(w.low, factor), _mm_mul_ps(w.high, factor)};
}

/// Returns by how much the exponents of the nonzero ones among four halves differ; more than
/// any weights allow if one of the halves is not a number.
[[gnu::always_inline]] inline int spreadOf(__m128i halves) {
  constexpr int kTooMuch = 1 << 10;
  const __m128i exponents = _mm_set1_epi16(kExponent16);
  const __m128i isZero =
      _mm_cmpeq_epi16(_mm_and_si128(halves, _mm_set1_epi16(0x7FFF)), _mm_setzero_si128());
  // Denormals have the digits of the least normal number.
  const __m128i present = _mm_max_epi16(_mm_and_si128(halves, exponents), _mm_set1_epi16(0x0400));
  const __m128i forLeast = _mm_or_si128(present, _mm_and_si128(isZero, exponents));
  // The maximum of the lower four lanes, and in the upper four the maximum complement.
  __m128i most = _mm_unpacklo_epi64(present, _mm_xor_si128(forLeast, _mm_set1_epi16(-1)));
  most = _mm_max_epi16(most, _mm_shuffle_epi32(most, _MM_SHUFFLE(2, 3, 0, 1)));
  most = _mm_max_epi16(most, _mm_srli_epi32(most, 16));
  const int greatest = _mm_extract_epi16(most, 0);
  const int least = ~static_cast<std::int16_t>(_mm_extract_epi16(most, 4));
  return greatest == kExponent16 ? kTooMuch : (greatest - least) >> 10;
}

/// Returns dot products of \p x with \p weights, for four units at a time. Doubles must be able to
/// hold the sums.
template <unsigned Fours, unsigned Inputs>
[[gnu::always_inline]] inline void dotsOf(const Weights::Values &weights, const __m128 (&x)[Inputs],
                                          double scale, __m128 (&dots)[Fours]) {
#pragma GCC unroll 4
  for (unsigned v = 0; v < Fours; ++v) {
    __m128d low = _mm_setzero_pd(), high = _mm_setzero_pd(); // a sum of zeros is never -0
#pragma GCC unroll 8
    for (unsigned i = 0; i < Inputs; ++i) {
      const __m128 products = _mm_mul_ps(x[i], _mm_load_ps(&weights[i][4 * v])); // exact
      low = _mm_add_pd(low, _mm_cvtps_pd(products));
      high = _mm_add_pd(high, _mm_cvtps_pd(_mm_movehl_ps(products, products)));
    }
    if constexpr (Inputs == 8) {
      low = _mm_mul_pd(low, _mm_set1_pd(scale));
      high = _mm_mul_pd(high, _mm_set1_pd(scale));
    }
    dots[v] = _mm_movelh_ps(_mm_cvtpd_ps(low), _mm_cvtpd_ps(high));
  }
}

/// \returns false if scalar code is needed: the weights are not prepared, or sums do not fit
template <unsigned Fours>
[[gnu::always_inline]] inline bool dotHalves(const Weights &weights, unsigned group,
                                             std::uint64_t halves, __m128 (&dots)[Fours]) {
  const Weights::Numbers &numbers = weights.numbers(group);
  if (numbers.format != WeightFormat::Half || spreadOf(halvesIn(halves)) > numbers.spread)
      [[unlikely]]
    return false;
  const __m128 x = widened(halves);
  const __m128 factors[] = {_mm_shuffle_ps(x, x, 0x00), _mm_shuffle_ps(x, x, 0x55),
                            _mm_shuffle_ps(x, x, 0xAA), _mm_shuffle_ps(x, x, 0xFF)};
  dotsOf(weights.values(group), factors, 1, dots);
  return true;
}
template <unsigned Fours>
[[gnu::always_inline]] inline bool dotQuarters(const Weights &weights, unsigned group,
                                               const MatrixInput &input, __m128 (&dots)[Fours]) {
  const Weights::Numbers &numbers = weights.numbers(group);
  const Quarters &table = quartersOf(input.inputFormat());
  __m128 factors[8];
  std::uint32_t exponents = 0;
#pragma GCC unroll 8
  for (unsigned i = 0; i < 8; ++i) {
    const auto code = static_cast<std::uint8_t>(input.x >> (8 * i));
    factors[i] = _mm_set1_ps(table.values[code]);
    exponents |= table.exponents[code];
  }
  if (numbers.format != formatOf(input.weightFormat()) || exponents >= Quarters::kNoNumber)
    return false;
  const int spread =
      exponents == 0 ? 0 : std::bit_width(exponents) - 1 - std::countr_zero(exponents);
  if (spread > numbers.spread)
    return false;
  dotsOf(weights.values(group), factors, powerOfTwo(input.scale), dots);
  return true;
}

} // namespace copse::ipud::fp
