#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

/// The tile's numbers as bit patterns, and definitions shared by all instructions that compute with
/// them.
namespace copse::ipud::fp {

/// The events that instructions report, at the bit positions of $FP_STS and of the enable bits of
/// $FP_CTL.
inline constexpr std::uint32_t kInvalid = 1, kDivideByZero = 2, kOverflow = 4;

inline constexpr std::uint32_t kFixedNaN32 = 0x7FD9C07E; ///< the only NaN that arithmetic returns
inline constexpr std::uint16_t kFixedNaN16 = 0x7ECE;
inline constexpr std::uint16_t kLargest16 = 0x7BFF; ///< 65504

inline constexpr std::uint32_t kSign32 = 0x80000000, kExponent32 = 0x7F800000,
                               kQuiet32 = 0x00400000, kFraction32 = 0x007FFFFF;
inline constexpr std::uint16_t kSign16 = 0x8000, kExponent16 = 0x7C00, kQuiet16 = 0x0200,
                               kFraction16 = 0x03FF;

inline float asFloat(std::uint32_t bits) { return std::bit_cast<float>(bits); }
inline std::uint32_t asBits(float value) { return std::bit_cast<std::uint32_t>(value); }

inline bool isNaN32(std::uint32_t x) { return (x & ~kSign32) > kExponent32; }
inline bool isInfinite32(std::uint32_t x) { return (x & ~kSign32) == kExponent32; }
inline bool isSignalling32(std::uint32_t x) { return isNaN32(x) && (x & kQuiet32) == 0; }
inline bool isNaN16(std::uint32_t x) { return (x & 0x7FFF) > kExponent16; }
inline bool isInfinite16(std::uint32_t x) { return (x & 0x7FFF) == kExponent16; }
inline bool isSignalling16(std::uint32_t x) { return isNaN16(x) && (x & kQuiet16) == 0; }
/// Returns true for what half arithmetic treats as a signalling NaN, including infinities.
inline bool isInvalid16(std::uint32_t x) { return isSignalling16(x) || isInfinite16(x); }

/// Returns 2^\p exponent, which must be in the range of normal numbers.
constexpr double powerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// Replaces a denormal by zero of its sign.
inline std::uint32_t flushed(std::uint32_t x) { return (x & kExponent32) == 0 ? x & kSign32 : x; }

/// Rounds \p exact to the nearest f32, ties to even. Denormal results become zero, too large values
/// infinite, and NaN stays a NaN. Independent of the host's flush modes.
inline float roundTo32(double exact) {
  constexpr double kSmallestNormal = 0x1p-126;
  constexpr double kHalfUlpBelow = 0x1p-126 - 0x1p-150; // rounds up to the smallest normal number
  const double magnitude = std::fabs(exact);
  if (magnitude < kSmallestNormal)
    return std::copysign(magnitude >= kHalfUlpBelow ? 0x1p-126F : 0.0F,
                         static_cast<float>(std::copysign(1.0, exact)));
  return static_cast<float>(exact);
}

/// Returns the value of a half that is not a NaN, including denormals.
inline float valueOf16(std::uint16_t half) {
  const std::uint32_t sign = (std::uint32_t{half} & kSign16) << 16;
  const std::uint32_t rest = half & 0x7FFFU;
  if (rest >= kExponent16)
    return asFloat(sign | kExponent32 | (rest & kFraction16) << 13);
  if (rest >= 0x0400)
    return asFloat(sign | ((rest << 13) + 0x38000000));
  // A denormal is a multiple of 2^-24, which is exact in f32.
  return asFloat(sign | asBits(static_cast<float>(rest) * 0x1p-24F));
}

/// Returns the pattern of the half nearest to the finite \p value, ties to even; at least
/// kExponent16 if the magnitude rounds to more than 65504.
inline std::uint32_t nearest16(float value) {
  const std::uint32_t bits = asBits(value), sign = bits >> 16 & kSign16, rest = bits & ~kSign32;
  if (rest >= 0x47800000) // 65536 and more
    return sign | kExponent16;
  if (rest < 0x38800000) { // denormal or zero: adding 0.5 makes the host round to 2^-24
    const float shifted = asFloat(rest) + 0.5F;
    return sign | (asBits(shifted) - asBits(0.5F));
  }
  const std::uint32_t odd = rest >> 13 & 1;
  return sign | ((rest - 0x38000000 + 0x0FFF + odd) >> 13);
}

} // namespace copse::ipud::fp
