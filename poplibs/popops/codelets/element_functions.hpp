// The operations of popops::expr on one element. Part of each generated source, so it includes
// nothing but what codelets have anyway.
#pragma once

#include <poplar/HalfFloat.hpp>
#include <poplar/Vertex.hpp>

namespace popops {
namespace elements {

/// The type in which functions of reals are computed: a half is rounded once, at the end.
template <typename T> struct Wide {
  using type = T;
};
template <> struct Wide<half> {
  using type = float;
};
template <typename T> using WideOf = typename Wide<T>::type;
template <typename T> WideOf<T> wide(T x) { return static_cast<WideOf<T>>(x); }

/// Integers wrap round: their arithmetic is unsigned.
template <typename T> struct Wrapping {
  using type = T;
};
template <> struct Wrapping<int> {
  using type = unsigned;
};
template <typename T> typename Wrapping<T>::type wrapping(T x) {
  return static_cast<typename Wrapping<T>::type>(x);
}

#define POPOPS_REAL_FUNCTION(name, value)                                                          \
  template <typename T> inline T name(T a) {                                                       \
    const WideOf<T> x = wide(a);                                                                   \
    return static_cast<T>(value);                                                                  \
  }
POPOPS_REAL_FUNCTION(asin, std::asin(x))
POPOPS_REAL_FUNCTION(cbrt, std::cbrt(x))
POPOPS_REAL_FUNCTION(ceil, std::ceil(x))
POPOPS_REAL_FUNCTION(cos, std::cos(x))
POPOPS_REAL_FUNCTION(erf, std::erf(x))
POPOPS_REAL_FUNCTION(exponent, std::exp(x))
POPOPS_REAL_FUNCTION(exponent2, std::exp2(x))
POPOPS_REAL_FUNCTION(exponentMinusOne, std::expm1(x))
POPOPS_REAL_FUNCTION(floor, std::floor(x))
POPOPS_REAL_FUNCTION(geluErf, 0.5f * x * (1.0f + std::erf(x * 0.70710678f)))
POPOPS_REAL_FUNCTION(inverse, 1.0f / x)
POPOPS_REAL_FUNCTION(logarithm, std::log(x))
POPOPS_REAL_FUNCTION(logarithmOnePlus, std::log1p(x))
POPOPS_REAL_FUNCTION(nearbyInt, std::nearbyint(x))
POPOPS_REAL_FUNCTION(relu, x > 0.0f ? x : 0.0f)
POPOPS_REAL_FUNCTION(round, std::round(x))
POPOPS_REAL_FUNCTION(rsqrt, 1.0f / std::sqrt(x))
POPOPS_REAL_FUNCTION(sin, std::sin(x))
POPOPS_REAL_FUNCTION(tan, std::tan(x))
POPOPS_REAL_FUNCTION(tanh, std::tanh(x))
#undef POPOPS_REAL_FUNCTION

/// Returns the sigmoid. exp() never gets a positive number, so it cannot overflow.
template <typename T> inline T sigmoid(T a) {
  const float x = a;
  const float e = std::exp(x < 0.0f ? x : -x);
  return static_cast<T>((x < 0.0f ? e : 1.0f) / (1.0f + e));
}

template <typename T> inline T absolute(T a) { return static_cast<T>(std::fabs(wide(a))); }
template <> inline int absolute(int a) {
  return static_cast<int>(a < 0 ? 0u - wrapping(a) : wrapping(a));
}
template <typename T> inline T negate(T a) { return static_cast<T>(-wide(a)); }
template <> inline int negate(int a) { return static_cast<int>(0u - wrapping(a)); }
template <typename T> inline T signum(T a) {
  return static_cast<T>((a > T(0) ? 1 : 0) - (a < T(0) ? 1 : 0));
}
template <typename T> inline T sqrt(T a) { return static_cast<T>(std::sqrt(wide(a))); }
template <> inline int sqrt(int a) { return static_cast<int>(std::sqrt(static_cast<double>(a))); }
template <typename T> inline T square(T a) { return static_cast<T>(wrapping(a) * wrapping(a)); }

template <typename T> inline T bitwiseNot(T a) { return static_cast<T>(~a); }
template <typename T> inline T countLeadingZeros(T a) {
  return static_cast<T>(a == T(0) ? 32 : __builtin_clz(static_cast<unsigned>(a)));
}
template <typename T> inline T popcount(T a) {
  return static_cast<T>(__builtin_popcount(static_cast<unsigned>(a)));
}
inline bool logicalNot(bool a) { return !a; }
template <typename T> inline bool isFinite(T a) { return std::isfinite(wide(a)); }
template <typename T> inline bool isInf(T a) { return std::isinf(wide(a)); }
template <typename T> inline bool isNaN(T a) { return wide(a) != wide(a); }

template <typename T> inline T add(T a, T b) { return static_cast<T>(wrapping(a) + wrapping(b)); }
template <typename T> inline T subtract(T a, T b) {
  return static_cast<T>(wrapping(a) - wrapping(b));
}
template <typename T> inline T multiply(T a, T b) {
  return static_cast<T>(wrapping(a) * wrapping(b));
}
/// Divides. As on a tile, an integer's division by zero is no fault; its result is 0. Neither may
/// the smallest integer by -1 fault.
template <typename T> inline T divide(T a, T b) { return static_cast<T>(a / b); }
template <> inline int divide(int a, int b) { return b == 0 ? 0 : b == -1 ? negate(a) : a / b; }
template <> inline unsigned divide(unsigned a, unsigned b) { return b == 0 ? 0 : a / b; }
template <typename T> inline T remainder(T a, T b) {
  return static_cast<T>(std::fmod(wide(a), wide(b)));
}
template <> inline int remainder(int a, int b) { return b == 0 || b == -1 ? 0 : a % b; }
template <> inline unsigned remainder(unsigned a, unsigned b) { return b == 0 ? 0 : a % b; }
template <typename T> inline T atan2(T a, T b) {
  return static_cast<T>(std::atan2(wide(a), wide(b)));
}
template <typename T> inline T power(T a, T b) {
  return static_cast<T>(std::pow(wide(a), wide(b)));
}

template <typename T> inline T maximum(T a, T b) { return a > b ? a : b; }
template <> inline float maximum(float a, float b) { return std::fmax(a, b); }
template <> inline half maximum(half a, half b) {
  return static_cast<half>(std::fmax(wide(a), wide(b)));
}
template <typename T> inline T minimum(T a, T b) { return a < b ? a : b; }
template <> inline float minimum(float a, float b) { return std::fmin(a, b); }
template <> inline half minimum(half a, half b) {
  return static_cast<half>(std::fmin(wide(a), wide(b)));
}
template <typename T> inline T clamp(T x, T low, T high) { return minimum(maximum(x, low), high); }
template <typename T> inline T select(T a, T b, bool first) { return first ? a : b; }

template <typename T> inline bool equal(T a, T b) { return a == b; }
template <typename T> inline bool notEqual(T a, T b) { return a != b; }
template <typename T> inline bool greaterThan(T a, T b) { return a > b; }
template <typename T> inline bool greaterThanEqual(T a, T b) { return a >= b; }
template <typename T> inline bool lessThan(T a, T b) { return a < b; }
template <typename T> inline bool lessThanEqual(T a, T b) { return a <= b; }
inline bool logicalAnd(bool a, bool b) { return a && b; }
inline bool logicalOr(bool a, bool b) { return a || b; }

template <typename T> inline T bitwiseAnd(T a, T b) { return static_cast<T>(a & b); }
template <typename T> inline T bitwiseOr(T a, T b) { return static_cast<T>(a | b); }
template <typename T> inline T bitwiseXor(T a, T b) { return static_cast<T>(a ^ b); }
template <typename T> inline T bitwiseXnor(T a, T b) { return static_cast<T>(~(a ^ b)); }
template <typename T> inline T shiftLeft(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) << (static_cast<unsigned>(b) & 31u));
}
template <typename T> inline T shiftRight(T a, T b) {
  return static_cast<T>(static_cast<unsigned>(a) >> (static_cast<unsigned>(b) & 31u));
}
template <typename T> inline T shiftRightSignExtend(T a, T b) {
  return static_cast<T>(static_cast<int>(a) >> (static_cast<unsigned>(b) & 31u));
}

template <typename T> inline T varianceToInvStdDev(T variance, T epsilon) {
  return static_cast<T>(1.0f / std::sqrt(wide(variance) + wide(epsilon)));
}
template <typename T> inline T invStdDevToVariance(T invStdDev, T epsilon) {
  return static_cast<T>(1.0f / (wide(invStdDev) * wide(invStdDev)) - wide(epsilon));
}

template <typename To> struct Casting {
  template <typename From> static To from(From x) { return static_cast<To>(x); }
};
template <> struct Casting<bool> {
  template <typename From> static bool from(From x) { return x != From(0); }
};
/// To bytes: clamped to their range, then truncated.
template <typename To, int low, int high> struct CastingToByte {
  template <typename From> static To from(From x) {
    const float value = wide(x);
    return static_cast<To>(static_cast<int>(std::fmin(std::fmax(value, low), high)));
  }
  static To from(To x) { return x; }
};
template <> struct Casting<char> : CastingToByte<char, -128, 127> {};
template <> struct Casting<signed char> : CastingToByte<signed char, -128, 127> {};
template <> struct Casting<unsigned char> : CastingToByte<unsigned char, 0, 255> {};
template <typename To, typename From> inline To cast(From x) { return Casting<To>::from(x); }

} // namespace elements
} // namespace popops
