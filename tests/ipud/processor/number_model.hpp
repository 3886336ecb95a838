#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>

/// Numbers of the tile by their definition, for comparison with the interpreter: in double, one
/// step after the other, without any of the interpreter's code.
namespace copse::ipud::model {

inline constexpr std::uint32_t kInvalid = 1, kDivideByZero = 2, kOverflow = 4;
inline constexpr std::uint32_t kNaN32 = 0x7FD9C07E, kInfinity32 = 0x7F800000;
inline constexpr std::uint16_t kNaN16 = 0x7ECE, kLargest16 = 0x7BFF;

struct Outcome {
  std::uint64_t bits = 0;
  std::uint32_t flags = 0;
};

/// A binary format with hidden leading digit and denormals.
struct Format {
  int fractionBits, bias;
};
inline constexpr Format kSingle{23, 127}, kHalf{10, 15};

/// Returns the number that \p code stands for, if all exponents were ordinary.
inline double decoded(std::uint32_t code, Format f) {
  const int field = static_cast<int>(code >> f.fractionBits);
  const std::uint32_t fraction = code & ((1U << f.fractionBits) - 1);
  return field == 0
             ? std::ldexp(fraction, 1 - f.bias - f.fractionBits)
             : std::ldexp(fraction + (1U << f.fractionBits), field - f.bias - f.fractionBits);
}

/// Returns the code of the nearest number to \p magnitude, ties to even, if all exponents were
/// ordinary.
inline std::uint64_t encoded(double magnitude, Format f) {
  if (magnitude == 0)
    return 0;
  const int place = std::max(std::ilogb(magnitude), 1 - f.bias);
  const double digits = std::nearbyint(std::ldexp(magnitude, f.fractionBits - place));
  return (static_cast<std::uint64_t>(place + f.bias) << f.fractionBits) +
         static_cast<std::uint64_t>(digits) - (std::uint64_t{1} << f.fractionBits);
}

// f32: denormals are zeros.

inline bool isNaN(std::uint32_t x) { return (x & 0x7FFFFFFF) > kInfinity32; }
inline bool isSignalling(std::uint32_t x) { return isNaN(x) && (x & 0x400000) == 0; }
inline bool isFinite(std::uint32_t x) { return (x & kInfinity32) != kInfinity32; }

inline double valueOf(std::uint32_t x) {
  const std::uint32_t code = x & 0x7FFFFFFF;
  double magnitude = code < 0x00800000 ? 0 : decoded(code, kSingle);
  if (!isFinite(x))
    magnitude = isNaN(x) ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  return (x >> 31) != 0 ? -magnitude : magnitude;
}

inline std::uint32_t singleOf(double exact) {
  if (std::isnan(exact))
    return kNaN32;
  const std::uint32_t sign = std::signbit(exact) ? 0x80000000 : 0;
  if (std::isinf(exact))
    return sign | kInfinity32;
  const std::uint64_t code = encoded(std::fabs(exact), kSingle);
  if (code < 0x00800000)
    return sign;
  return sign | (code >= kInfinity32 ? kInfinity32 : static_cast<std::uint32_t>(code));
}

/// Returns the result of an IEEE operation; \p exact, in double, has all digits that matter.
inline Outcome singleResult(double exact, std::initializer_list<std::uint32_t> operands) {
  bool hasNaN = false, allFinite = true;
  std::uint32_t flags = 0;
  for (const std::uint32_t x : operands) {
    hasNaN |= isNaN(x);
    allFinite &= isFinite(x);
    flags |= isSignalling(x) ? kInvalid : 0;
  }
  if (hasNaN)
    return {kNaN32, flags};
  if (std::isnan(exact))
    return {kNaN32, kInvalid};
  const std::uint32_t bits = singleOf(exact);
  return {bits, allFinite && (bits & 0x7FFFFFFF) == kInfinity32 ? kOverflow : 0};
}

// Halves: denormals are numbers; infinities are errors to arithmetic.

inline bool isNaN16(std::uint32_t h) { return (h & 0x7FFF) > 0x7C00; }
inline bool isInfinite16(std::uint32_t h) { return (h & 0x7FFF) == 0x7C00; }
inline bool isSignalling16(std::uint32_t h) { return isNaN16(h) && (h & 0x200) == 0; }
inline bool isNumber16(std::uint32_t h) { return (h & 0x7C00) != 0x7C00; }
/// Returns true for values that arithmetic treats like a signalling NaN.
inline bool isError16(std::uint32_t h) { return isSignalling16(h) || isInfinite16(h); }

/// Returns the value, with infinities and NaN as such.
inline double valueOf16(std::uint32_t h) {
  double magnitude = decoded(h & 0x7FFF, kHalf);
  if (!isNumber16(h))
    magnitude = isNaN16(h) ? std::numeric_limits<double>::quiet_NaN()
                           : std::numeric_limits<double>::infinity();
  return (h & 0x8000) != 0 ? -magnitude : magnitude;
}

inline Outcome overflowed16(bool isNegative, bool nanOnOverflow) {
  if (nanOnOverflow)
    return {kNaN16, kOverflow | kInvalid};
  return {static_cast<std::uint64_t>(kLargest16 | (isNegative ? 0x8000 : 0)), kOverflow};
}

/// Rounds \p exact, which is finite.
inline Outcome halfOf(double exact, bool nanOnOverflow = false) {
  const std::uint64_t code = encoded(std::fabs(exact), kHalf);
  if (code >= 0x7C00)
    return overflowed16(std::signbit(exact), nanOnOverflow);
  return {code | (std::signbit(exact) ? 0x8000 : 0), 0};
}

/// Returns the result for halves of which not all are numbers.
inline Outcome errorResult16(std::initializer_list<std::uint32_t> halves) {
  std::uint32_t flags = 0;
  for (const std::uint32_t h : halves)
    flags |= isError16(h) ? kInvalid : 0;
  return {kNaN16, flags};
}

/// The generator xoroshiro128aox, and the result of one advance.
struct Generator {
  std::uint64_t s0, s1;
  struct Draw {
    std::uint64_t r0, r1;
  };
  Draw advance() {
    const std::uint64_t first = next();
    return {first, next()};
  }

private:
  static std::uint64_t rotated(std::uint64_t x, int by) { return x << by | x >> (64 - by); }
  std::uint64_t next() {
    const std::uint64_t x = s0 ^ s1, a = s0 & s1;
    const std::uint64_t out = x ^ (rotated(a, 1) | rotated(a, 2));
    const std::uint64_t after = rotated(s0, 55) ^ x ^ (x << 14);
    s1 = rotated(x, 36);
    s0 = after;
    return out;
  }
};

/// Rounds the f32 pattern \p x, finite, to a half with the noise of element \p i.
inline Outcome stochasticHalf(std::uint32_t x, const Generator::Draw &draw, unsigned i,
                              bool nanOnOverflow = false) {
  const bool isNegative = (x >> 31) != 0;
  const std::uint32_t noise = static_cast<std::uint32_t>(draw.r0 >> (16 * i) & 0xFFFF) |
                              static_cast<std::uint32_t>(draw.r1 >> (8 * i) & 0xFF) << 16;
  int e = static_cast<int>(x >> 23 & 0xFF) - 127;
  const int cut = e >= -14 ? 13 : e >= -25 ? -1 - e : 24;
  std::uint32_t m = ((x & 0x7FFFFF) | 0x800000) + (noise & ((1U << cut) - 1));
  if (m >> 24 != 0) {
    ++e;
    m >>= 1;
  }
  const std::uint32_t fraction = (m & 0x7FFFFF) & ~((1U << cut) - 1);
  if (e < -24)
    return {isNegative ? 0x8000U : 0U, 0};
  if (e > 15)
    return overflowed16(isNegative, nanOnOverflow);
  const double magnitude = std::ldexp(1 + fraction / 8388608.0, e);
  return halfOf(isNegative ? -magnitude : magnitude);
}

} // namespace copse::ipud::model
