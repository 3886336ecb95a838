#include "processor/f16.hpp"

namespace copse::ipud::fp {
namespace {

std::uint16_t invalid16(std::uint32_t &flags) {
  flags |= kInvalid;
  return kFixedNaN16;
}

std::uint16_t overflowed16(bool negative, const HalfMode &mode, std::uint32_t &flags) {
  flags |= kOverflow;
  if (mode.nanOnOverflow)
    return invalid16(flags);
  return static_cast<std::uint16_t>(kLargest16 | (negative ? kSign16 : 0));
}

/// Returns 24 random bits for element \p i.
std::uint32_t noise16(const RandomBits &bits, unsigned i) {
  return static_cast<std::uint32_t>(bits.r0 >> (16 * i) & 0xFFFF) |
         static_cast<std::uint32_t>(bits.r1 >> (8 * i) & 0xFF) << 16;
}

/// Adds noise below the last digit of a half, then truncates.
/// \returns a pattern; at least kExponent16 if the result is too large
std::uint32_t stochastic16(std::uint32_t x, std::uint32_t noise) {
  const std::uint32_t sign = x >> 16 & kSign16;
  int exponent = static_cast<int>(x >> 23 & 0xFF) - 127;
  const unsigned cut = exponent >= -14   ? 13U
                       : exponent >= -25 ? static_cast<unsigned>(-1 - exponent)
                                         : 24U;
  std::uint32_t digits = ((x & kFraction32) | 1U << 23) + (noise & ((1U << cut) - 1));
  if (digits >> 24 != 0) {
    ++exponent;
    digits >>= 1;
  }
  if (exponent < -24)
    return sign;
  if (exponent > 15)
    return sign | kExponent16;
  const std::uint32_t kept = (digits & kFraction32) >> cut << cut;
  return sign | nearest16(asFloat(static_cast<std::uint32_t>(exponent + 127) << 23 | kept));
}

bool isSpecial(std::uint16_t x) { return (x & kExponent16) == kExponent16; }

/// Returns the result for operands of which one is a NaN or an infinity.
std::uint16_t specialResult(std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  if (isInvalid16(a) || isInvalid16(b))
    flags |= kInvalid;
  return kFixedNaN16;
}

template <class Operation>
std::uint16_t arithmetic(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                         std::uint32_t &flags, Operation operation) {
  if (isSpecial(a) || isSpecial(b))
    return specialResult(a, b, flags);
  // f32 has more than twice the digits of a half, so rounding to f32 first changes nothing.
  return round16(asBits(operation(valueOf16(a), valueOf16(b))), element, mode, flags);
}

int ordered(std::uint16_t x) { return (x & kSign16) != 0 ? -1 - (x & 0x7FFF) : x; }

template <class Choose>
std::uint16_t choose(std::uint16_t a, std::uint16_t b, std::uint32_t &flags, Choose chooseA) {
  if (isSignalling16(a) || isSignalling16(b))
    return invalid16(flags);
  if (isNaN16(a))
    return isNaN16(b) ? kFixedNaN16 : b;
  if (isNaN16(b))
    return a;
  return chooseA(ordered(a), ordered(b)) ? a : b;
}

template <class Function>
std::uint16_t unary(std::uint16_t x, std::uint32_t &flags, Function function) {
  return isSpecial(x) ? specialResult(x, x, flags) : function(static_cast<double>(valueOf16(x)));
}

std::uint16_t logarithm(std::uint16_t x, double (*function)(double), const HalfMode &mode,
                        std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    if (v < 0)
      return invalid16(flags);
    if (v > 0)
      return round16(function(v), mode, flags);
    flags |= kDivideByZero;
    return static_cast<std::uint16_t>(mode.nanOnOverflow ? kFixedNaN16 : kSign16 | kLargest16);
  });
}

/// Rounds to odd, so that a second rounding to fewer digits gives the correct result.
float roundToOdd(double exact) {
  const float near = static_cast<float>(exact);
  if (static_cast<double>(near) == exact || (asBits(near) & 1) != 0)
    return near;
  const bool tooLarge = std::fabs(static_cast<double>(near)) > std::fabs(exact);
  return asFloat(asBits(near) + (tooLarge ? -1U : 1U));
}

} // namespace

std::uint16_t round16(std::uint32_t x, unsigned element, const HalfMode &mode,
                      std::uint32_t &flags) {
  if ((x & kExponent32) == kExponent32) {
    if (isSignalling32(x) || isInfinite32(x))
      flags |= kInvalid;
    return kFixedNaN16;
  }
  const std::uint32_t bits = mode.noise != nullptr ? stochastic16(x, noise16(*mode.noise, element))
                                                   : nearest16(asFloat(flushed(x)));
  if ((bits & 0x7FFF) >= kExponent16)
    return overflowed16((x & kSign32) != 0, mode, flags);
  return static_cast<std::uint16_t>(bits);
}

std::uint16_t round16(double exact, const HalfMode &mode, std::uint32_t &flags) {
  constexpr double kTooSmall = 0x1p-100, kTooLarge = 0x1p100;
  const double magnitude = std::fabs(exact);
  const double clipped = magnitude > kTooLarge   ? std::copysign(kTooLarge, exact)
                         : magnitude < kTooSmall ? std::copysign(0.0, exact)
                                                 : exact;
  return round16(asBits(roundToOdd(clipped)), 0, {mode.nanOnOverflow, nullptr}, flags);
}

std::uint32_t widen16(std::uint16_t x, std::uint32_t &flags) {
  if (!isNaN16(x))
    return asBits(valueOf16(x));
  if (isSignalling16(x))
    flags |= kInvalid;
  return kFixedNaN32;
}

std::uint32_t operand16(std::uint16_t x, std::uint32_t &flags) {
  if (!isSpecial(x))
    return asBits(valueOf16(x));
  if (isInvalid16(x))
    flags |= kInvalid;
  return kFixedNaN32;
}

std::uint16_t add16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags) {
  return arithmetic(a, b, element, mode, flags, [](float x, float y) { return x + y; });
}
std::uint16_t sub16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags) {
  return arithmetic(a, b, element, mode, flags, [](float x, float y) { return x - y; });
}
std::uint16_t mul16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                    std::uint32_t &flags) {
  return arithmetic(a, b, element, mode, flags, [](float x, float y) { return x * y; });
}
std::uint16_t absadd16(std::uint16_t a, std::uint16_t b, unsigned element, const HalfMode &mode,
                       std::uint32_t &flags) {
  return arithmetic(a, b, element, mode, flags,
                    [](float x, float y) { return std::fabs(x) + std::fabs(y); });
}

std::uint16_t max16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  return choose(a, b, flags, [](int x, int y) { return x >= y; });
}
std::uint16_t min16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  return choose(a, b, flags, [](int x, int y) { return x <= y; });
}
std::uint16_t absmax16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  return max16(a & 0x7FFF, b & 0x7FFF, flags);
}

std::uint16_t clamp16(std::uint16_t x, std::uint16_t low, std::uint16_t high,
                      std::uint32_t &flags) {
  if (isSignalling16(x) || isSignalling16(low) || isSignalling16(high))
    flags |= kInvalid;
  if (isNaN16(x) || isNaN16(low) || isNaN16(high))
    return kFixedNaN16;
  return ordered(x) > ordered(high) ? high : max16(x, low, flags);
}

std::uint16_t compare16(Comparison what, std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  const auto wide = [](std::uint16_t x) { return isNaN16(x) ? kFixedNaN32 : asBits(valueOf16(x)); };
  return static_cast<std::uint16_t>(compare32(what, wide(a), wide(b), flags));
}

std::uint32_t sum16(std::uint16_t a, std::uint16_t b, std::uint32_t &flags) {
  const std::uint32_t x = operand16(a, flags), y = operand16(b, flags);
  return add32(x, y, flags);
}

std::uint16_t exp16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) { return round16(std::exp(v), mode, flags); });
}
std::uint16_t exp2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) { return round16(std::exp2(v), mode, flags); });
}
std::uint16_t ln16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return logarithm(x, std::log, mode, flags);
}
std::uint16_t log2of16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return logarithm(x, std::log2, mode, flags);
}
std::uint16_t tanh16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) { return round16(std::tanh(v), mode, flags); });
}
std::uint16_t sigmoid16(std::uint16_t x, const HalfMode &mode, std::uint32_t &flags) {
  return unary(x, flags,
               [&](double v) { return round16(1.0 / (1.0 + std::exp(-v)), mode, flags); });
}

std::uint16_t centred16(std::uint16_t bits) {
  return static_cast<std::uint16_t>(
      nearest16((2.0F * static_cast<float>(bits) - 65535.0F) * 0x1p-17F));
}

Class class16(std::uint16_t x) {
  const bool negative = (x & kSign16) != 0;
  if (isNaN16(x))
    return isSignalling16(x) ? Class::SignallingNaN : Class::QuietNaN;
  if (isInfinite16(x))
    return negative ? Class::NegativeInfinity : Class::PositiveInfinity;
  if ((x & 0x7FFF) == 0)
    return negative ? Class::NegativeZero : Class::PositiveZero;
  if ((x & kExponent16) == 0)
    return negative ? Class::NegativeDenormal : Class::PositiveDenormal;
  return negative ? Class::NegativeNormal : Class::PositiveNormal;
}

} // namespace copse::ipud::fp
