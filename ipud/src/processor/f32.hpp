#pragma once

#include "processor/float_bits.hpp"

/// f32 as the tile computes it: denormals are treated as zero, and every NaN result is the fixed
/// NaN. Values are bit patterns; each function adds to \p flags what the instruction reports. The
/// functions are pure and do not depend on the host's floating-point state.
namespace copse::ipud::fp {

std::uint32_t add32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t sub32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t mul32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t div32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t absadd32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t max32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t min32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t absmax32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags);
std::uint32_t clamp32(std::uint32_t x, std::uint32_t low, std::uint32_t high, std::uint32_t &flags);

enum class Comparison : std::uint8_t { Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual };
/// \returns all ones or zero
std::uint32_t compare32(Comparison what, std::uint32_t a, std::uint32_t b, std::uint32_t &flags);

std::uint32_t sqrt32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t reciprocal32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t reciprocalSqrt32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t exp32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t exp2of32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t ln32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t log2of32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t tanh32(std::uint32_t x, std::uint32_t &flags);
std::uint32_t sigmoid32(std::uint32_t x, std::uint32_t &flags);

/// Rounds to an integer (f32int).
/// \param mode  0 nearest even, 1 up, 2 down, 3 toward zero, 4 nearest with ties away; greater
///   values mean 0
std::uint32_t integral32(std::uint32_t x, std::uint32_t mode, std::uint32_t &flags);
std::uint32_t toSigned(std::uint32_t x, std::uint32_t &flags);
std::uint32_t toUnsigned(std::uint32_t x, std::uint32_t &flags);
std::uint32_t fromSigned(std::uint32_t x);
std::uint32_t fromUnsigned(std::uint32_t x);
/// Returns a number in (-0.5, 0.5) from 32 random bits.
std::uint32_t centred32(std::uint32_t bits);

/// The codes that class instructions return.
enum class Class : std::uint8_t {
  Unknown = 0,
  SignallingNaN = 1,
  QuietNaN = 2,
  NegativeInfinity = 3,
  NegativeNormal = 4,
  NegativeZero = 5,
  PositiveZero = 6,
  PositiveNormal = 7,
  PositiveInfinity = 8,
  NegativeDenormal = 9,
  PositiveDenormal = 10
};
Class class32(std::uint32_t x); ///< treats a denormal as zero

} // namespace copse::ipud::fp
