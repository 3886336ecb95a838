#include "processor/f32.hpp"

#include <limits>

namespace copse::ipud::fp {
namespace {

constexpr std::uint32_t kInfinity = kExponent32;

/// Operands and results are computed in double. That is exact for a product; for the others double
/// rounding is harmless, because a double has more than twice the digits of an f32.
double wide(std::uint32_t x) { return static_cast<double>(asFloat(flushed(x))); }

/// Returns the fixed NaN for NaN inputs; reports signalling ones.
std::uint32_t nanFrom(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isSignalling32(a) || isSignalling32(b))
    flags |= kInvalid;
  return kFixedNaN32;
}

std::uint32_t invalid32(std::uint32_t &flags) {
  flags |= kInvalid;
  return kFixedNaN32;
}

/// Rounds the result of finite operands, or of infinite ones that give infinity.
std::uint32_t rounded(double exact, bool finiteOperands, std::uint32_t &flags) {
  const std::uint32_t bits = asBits(roundTo32(exact));
  if (finiteOperands && isInfinite32(bits))
    flags |= kOverflow;
  return bits;
}

bool finite(std::uint32_t x) { return (x & kExponent32) != kExponent32; }
std::uint32_t magnitude(std::uint32_t x) { return x & ~kSign32; }

/// Maps patterns to integers in the order of their numbers, with -0 below +0.
std::int32_t ordered(std::uint32_t x) {
  const auto value = static_cast<std::int32_t>(x);
  return value < 0 ? static_cast<std::int32_t>(magnitude(x)) * -1 - 1 : value;
}

template <class Choose>
std::uint32_t choose(std::uint32_t a, std::uint32_t b, std::uint32_t &flags, Choose chooseA) {
  a = flushed(a);
  b = flushed(b);
  if (isSignalling32(a) || isSignalling32(b))
    return invalid32(flags);
  if (isNaN32(a))
    return isNaN32(b) ? kFixedNaN32 : b;
  if (isNaN32(b))
    return a;
  return chooseA(ordered(a), ordered(b)) ? a : b;
}

/// Applies a function of one operand, with NaN handled.
template <class Function>
std::uint32_t unary(std::uint32_t x, std::uint32_t &flags, Function function) {
  return isNaN32(x) ? nanFrom(x, x, flags) : function(wide(x));
}

std::uint32_t exponential(std::uint32_t x, double (*function)(double), std::uint32_t &flags) {
  return unary(x, flags, [&](double v) { return rounded(function(v), std::isfinite(v), flags); });
}

std::uint32_t logarithm(std::uint32_t x, double (*function)(double), std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    if (v == 0) {
      flags |= kDivideByZero;
      return kSign32 | kInfinity;
    }
    return v < 0 ? invalid32(flags) : asBits(roundTo32(function(v)));
  });
}

double nearestEven(double x) {
  const double below = std::floor(x), rest = x - below;
  if (rest != 0.5)
    return rest < 0.5 ? below : below + 1;
  return std::fmod(below, 2.0) == 0 ? below : below + 1;
}

} // namespace

std::uint32_t add32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isNaN32(a) || isNaN32(b))
    return nanFrom(a, b, flags);
  if (isInfinite32(a) && isInfinite32(b) && a != b)
    return invalid32(flags);
  return rounded(wide(a) + wide(b), finite(a) && finite(b), flags);
}

std::uint32_t sub32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  return add32(a, isNaN32(b) ? b : b ^ kSign32, flags);
}

std::uint32_t mul32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isNaN32(a) || isNaN32(b))
    return nanFrom(a, b, flags);
  const double x = wide(a), y = wide(b);
  if ((isInfinite32(a) && y == 0) || (isInfinite32(b) && x == 0))
    return invalid32(flags);
  return rounded(x * y, finite(a) && finite(b), flags);
}

std::uint32_t div32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isNaN32(a) || isNaN32(b))
    return nanFrom(a, b, flags);
  const double x = wide(a), y = wide(b);
  if ((x == 0 && y == 0) || (isInfinite32(a) && isInfinite32(b)))
    return invalid32(flags);
  if (y == 0) {
    if (finite(a))
      flags |= kDivideByZero;
    return ((a ^ b) & kSign32) | kInfinity;
  }
  return rounded(x / y, finite(a) && finite(b), flags);
}

std::uint32_t absadd32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isNaN32(a) || isNaN32(b))
    return nanFrom(a, b, flags);
  return add32(magnitude(a), magnitude(b), flags);
}

std::uint32_t max32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  return choose(a, b, flags, [](std::int32_t x, std::int32_t y) { return x >= y; });
}

std::uint32_t min32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  return choose(a, b, flags, [](std::int32_t x, std::int32_t y) { return x <= y; });
}

std::uint32_t absmax32(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  return max32(magnitude(a), magnitude(b), flags);
}

std::uint32_t clamp32(std::uint32_t x, std::uint32_t low, std::uint32_t high,
                      std::uint32_t &flags) {
  if (isSignalling32(x) || isSignalling32(low) || isSignalling32(high))
    flags |= kInvalid;
  if (isNaN32(x) || isNaN32(low) || isNaN32(high))
    return kFixedNaN32;
  x = flushed(x);
  high = flushed(high);
  return ordered(x) > ordered(high) ? high : max32(x, low, flags);
}

std::uint32_t compare32(Comparison what, std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  if (isNaN32(a) || isNaN32(b)) {
    flags |= kInvalid;
    return what == Comparison::NotEqual ? ~0U : 0;
  }
  const double x = wide(a), y = wide(b);
  bool holds = false;
  switch (what) {
  case Comparison::Equal:
    holds = x == y;
    break;
  case Comparison::NotEqual:
    holds = x != y;
    break;
  case Comparison::Less:
    holds = x < y;
    break;
  case Comparison::LessEqual:
    holds = x <= y;
    break;
  case Comparison::Greater:
    holds = x > y;
    break;
  case Comparison::GreaterEqual:
    holds = x >= y;
    break;
  }
  return holds ? ~0U : 0;
}

std::uint32_t sqrt32(std::uint32_t x, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    return v < 0 ? invalid32(flags) : asBits(roundTo32(std::sqrt(v)));
  });
}

std::uint32_t reciprocal32(std::uint32_t x, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    if (v == 0)
      flags |= kDivideByZero;
    return asBits(roundTo32(1.0 / v));
  });
}

std::uint32_t reciprocalSqrt32(std::uint32_t x, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    if (v < 0)
      return invalid32(flags);
    if (v == 0) {
      flags |= kDivideByZero;
      return (x & kSign32) | kInfinity;
    }
    return asBits(roundTo32(1.0 / std::sqrt(v)));
  });
}

std::uint32_t exp32(std::uint32_t x, std::uint32_t &flags) {
  return exponential(x, std::exp, flags);
}
std::uint32_t exp2of32(std::uint32_t x, std::uint32_t &flags) {
  return exponential(x, std::exp2, flags);
}
std::uint32_t ln32(std::uint32_t x, std::uint32_t &flags) { return logarithm(x, std::log, flags); }
std::uint32_t log2of32(std::uint32_t x, std::uint32_t &flags) {
  return logarithm(x, std::log2, flags);
}

std::uint32_t tanh32(std::uint32_t x, std::uint32_t &flags) {
  return unary(x, flags, [](double v) { return asBits(roundTo32(std::tanh(v))); });
}

std::uint32_t sigmoid32(std::uint32_t x, std::uint32_t &flags) {
  return unary(x, flags, [](double v) {
    if (std::fabs(v) < 0x1p-24)
      return asBits(0.5F);
    if (v < -104 || v >= 18)
      return asBits(v < 0 ? 0.0F : 1.0F);
    return asBits(roundTo32(1.0 / (1.0 + std::exp(-v))));
  });
}

std::uint32_t integral32(std::uint32_t x, std::uint32_t mode, std::uint32_t &flags) {
  return unary(x, flags, [&](double v) {
    if (!std::isfinite(v))
      return x;
    double result = 0;
    switch (mode) {
    case 1:
      result = std::ceil(v);
      break;
    case 2:
      result = std::floor(v);
      break;
    case 3:
      result = std::trunc(v);
      break;
    case 4:
      result = std::round(v);
      break;
    default:
      result = nearestEven(v);
      break;
    }
    return asBits(static_cast<float>(std::copysign(result, v)));
  });
}

std::uint32_t toSigned(std::uint32_t x, std::uint32_t &flags) {
  const double v = nearestEven(wide(x));
  if (v >= -0x1p31 && v < 0x1p31)
    return static_cast<std::uint32_t>(static_cast<std::int32_t>(v));
  flags |= kInvalid;
  return kSign32;
}

std::uint32_t toUnsigned(std::uint32_t x, std::uint32_t &flags) {
  const double v = nearestEven(wide(x));
  if (v >= 0 && v < 0x1p32)
    return static_cast<std::uint32_t>(v);
  flags |= kInvalid;
  return 0;
}

std::uint32_t fromSigned(std::uint32_t x) {
  return asBits(roundTo32(static_cast<double>(static_cast<std::int32_t>(x))));
}
std::uint32_t fromUnsigned(std::uint32_t x) { return asBits(roundTo32(static_cast<double>(x))); }

std::uint32_t centred32(std::uint32_t bits) {
  return asBits(roundTo32((2.0 * bits - 0xFFFFFFFFU) * 0x1p-33));
}

Class class32(std::uint32_t x) {
  const bool negative = (x & kSign32) != 0;
  if (isNaN32(x))
    return isSignalling32(x) ? Class::SignallingNaN : Class::QuietNaN;
  if (isInfinite32(x))
    return negative ? Class::NegativeInfinity : Class::PositiveInfinity;
  if ((x & kExponent32) == 0)
    return negative ? Class::NegativeZero : Class::PositiveZero;
  return negative ? Class::NegativeNormal : Class::PositiveNormal;
}

} // namespace copse::ipud::fp
