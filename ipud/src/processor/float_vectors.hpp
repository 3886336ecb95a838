#pragma once

#include "processor/float_bits.hpp"

#include <emmintrin.h>

/// Vectors of numbers in SSE2. All functions are exact only in the mode that FlushesDenormals sets.
namespace copse::ipud::fp {

/// While this object exists, the host treats denormal operands and results as zero, like the tile.
/// Sums then equal the tile's except for the pattern of a NaN. Products have one more exception: a
/// product that rounds up to the smallest normal number becomes zero.
class FlushesDenormals {
public:
  FlushesDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | kMode); }
  ~FlushesDenormals() { _mm_setcsr(before_); }
  FlushesDenormals(const FlushesDenormals &) = delete;
  FlushesDenormals &operator=(const FlushesDenormals &) = delete;

  static constexpr unsigned kMode = 0x8040; ///< flush operands and results

private:
  const unsigned before_;
};

/// Undoes FlushesDenormals while this object exists, for native code called by tile code.
class KeepsDenormals {
public:
  KeepsDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ & ~FlushesDenormals::kMode); }
  ~KeepsDenormals() { _mm_setcsr(before_); }
  KeepsDenormals(const KeepsDenormals &) = delete;
  KeepsDenormals &operator=(const KeepsDenormals &) = delete;

private:
  const unsigned before_;
};

/// A vector with one pattern in all lanes.
struct alignas(16) Pattern32 {
  explicit constexpr Pattern32(std::uint32_t bits) : lanes{bits, bits, bits, bits} {}
  operator __m128i() const { return _mm_load_si128(reinterpret_cast<const __m128i *>(lanes)); }
  operator __m128() const { return _mm_load_ps(reinterpret_cast<const float *>(lanes)); }
  std::uint32_t lanes[4];
};
inline constexpr Pattern32 kExponents{kExponent32}, kFixedNaNs{kFixedNaN32}, kSigns{kSign32};

inline __m128 loadedPair(const void *at) {
  return _mm_castsi128_ps(_mm_loadl_epi64(static_cast<const __m128i *>(at)));
}
inline void storePair(void *at, __m128 pair) {
  _mm_storel_epi64(static_cast<__m128i *>(at), _mm_castps_si128(pair));
}
inline bool any(__m128 mask) { return _mm_movemask_ps(mask) != 0; }
inline bool any(__m128i mask) { return _mm_movemask_ps(_mm_castsi128_ps(mask)) != 0; }

/// Returns all ones where \p x is an infinity or a NaN.
inline __m128 unbounded(__m128 x) {
  __m128i exponents = kExponents;
  asm("" : "+x"(exponents)); // otherwise the compiler rebuilds it from one lane each time
  return _mm_castsi128_ps(
      _mm_cmpeq_epi32(_mm_and_si128(_mm_castps_si128(x), exponents), kExponents));
}
/// Returns all ones where \p x is zero, denormal, an infinity or a NaN.
inline __m128i extraordinary(__m128 x) {
  // For all other numbers, twice the pattern, which drops the sign, is in [1 << 24, 255 << 24).
  static constexpr Pattern32 kShift{0x7F000000}, kLimit{0x7DFFFFFF};
  const __m128i bits = _mm_castps_si128(x);
  return _mm_cmpgt_epi32(_mm_add_epi32(_mm_add_epi32(bits, bits), kShift), kLimit);
}
/// Replaces a NaN by the fixed NaN in the sum of an accumulator.
inline __m128 settled(__m128 sum) {
  const __m128 isNaN = _mm_cmpunord_ps(sum, sum);
  if (!any(isNaN)) [[likely]]
    return sum;
  return _mm_or_ps(_mm_andnot_ps(isNaN, sum), _mm_and_ps(isNaN, kFixedNaNs));
}

} // namespace copse::ipud::fp
