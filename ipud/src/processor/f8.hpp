#pragma once

#include "processor/f16.hpp"

#include <array>

/// The 8-bit formats of ipu21. Code 0x80 is the only error value; -0, infinities and NaN do not
/// exist.
namespace copse::ipud::fp {

inline constexpr std::uint8_t kError8 = 0x80;

enum class QuarterFormat : std::uint8_t {
  F152 = 0, ///< 5 exponent bits, 2 fraction bits, bias 16
  F143 = 1  ///< 4 exponent bits, 3 fraction bits, bias 8
};

/// The values of all codes of a format.
struct Quarters {
  static constexpr std::uint32_t kNoNumber = 1U << 31;
  std::array<float, 256> values; ///< value of each code; 0 for kError8
  /// The exponent field of each code as the bit 1 << (field - 1). Denormals have the field of the
  /// least normal number, zero has no bit, and kError8 has kNoNumber.
  std::array<std::uint32_t, 256> exponents;
};
const Quarters &quartersOf(QuarterFormat format);

/// Returns the value of a code other than kError8.
inline float valueOf8(std::uint8_t code, QuarterFormat format) {
  return quartersOf(format).values[code];
}

/// Converts the half x, scaled by 2^scale, to FP8.
/// \param element  0..7, selects the noise of stochastic rounding
std::uint8_t round8(std::uint16_t x, int scale, QuarterFormat format, unsigned element,
                    const HalfMode &mode, std::uint32_t &flags);

/// Converts the FP8 number x, scaled by 2^scale, to the nearest half.
std::uint16_t widen8(std::uint8_t code, int scale, QuarterFormat format, const HalfMode &mode,
                     std::uint32_t &flags);

Class class8(std::uint8_t code, QuarterFormat format);

} // namespace copse::ipud::fp
