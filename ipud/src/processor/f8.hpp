#pragma once

#include "processor/f16.hpp"

#include <array>

/// The 8-bit formats of ipu21. Code 0x80 is the only error value; there is no -0, infinity or NaN.
namespace copse::ipud::fp {

inline constexpr std::uint8_t kError8 = 0x80;

enum class QuarterFormat : std::uint8_t {
  F152 = 0, ///< 5 exponent bits, 2 fraction bits, bias 16
  F143 = 1  ///< 4 exponent bits, 3 fraction bits, bias 8
};

/// All codes of a format.
struct Quarters {
  static constexpr std::uint32_t kNoNumber = 1U << 31;
  std::array<float, 256> values; ///< of kError8: 0
  /// The exponent field of a code as a bit: 1 << field - 1, where denormals have the field of the
  /// least normal number; none for zero. kNoNumber for kError8.
  std::array<std::uint32_t, 256> exponents;
};
const Quarters &quartersOf(QuarterFormat format);

/// The value of a code that is not kError8.
inline float valueOf8(std::uint8_t code, QuarterFormat format) {
  return quartersOf(format).values[code];
}

/// Half to FP8 of x * 2^scale.
/// \param element  0..7, picks the noise of stochastic rounding
std::uint8_t round8(std::uint16_t x, int scale, QuarterFormat format, unsigned element,
                    const HalfMode &mode, std::uint32_t &flags);

/// FP8 to half of x * 2^scale, to nearest.
std::uint16_t widen8(std::uint8_t code, int scale, QuarterFormat format, const HalfMode &mode,
                     std::uint32_t &flags);

Class class8(std::uint8_t code, QuarterFormat format);

} // namespace copse::ipud::fp
