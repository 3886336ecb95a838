#pragma once

#include "isa/f16.hpp"

/// The 8-bit formats of ipu21. Code 0x80 is the only error value; there is no -0, infinity or NaN.
namespace copse::ipud::fp {

inline constexpr std::uint8_t kError8 = 0x80;

enum class QuarterFormat : std::uint8_t {
  F152 = 0, ///< 5 exponent bits, 2 fraction bits, bias 16
  F143 = 1  ///< 4 exponent bits, 3 fraction bits, bias 8
};

/// The value of a code that is not kError8.
float valueOf8(std::uint8_t code, QuarterFormat format);

/// Half to FP8 of x * 2^scale. \param element  0..7, picks the noise of stochastic rounding
std::uint8_t round8(std::uint16_t x, int scale, QuarterFormat format, unsigned element,
                    const HalfMode &mode, std::uint32_t &flags);

/// FP8 to half of x * 2^scale, to nearest.
std::uint16_t widen8(std::uint8_t code, int scale, QuarterFormat format, const HalfMode &mode,
                     std::uint32_t &flags);

Class class8(std::uint8_t code, QuarterFormat format);

} // namespace copse::ipud::fp
