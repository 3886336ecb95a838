#pragma once

#include "poplar/NumberBits.hpp"

#include <cmath>

#pragma GCC system_header

extern "C" __attribute__((visibility("default"))) unsigned (*__copseReadRegister)(unsigned index);

namespace poplar {
namespace encoding {

/// Converts the results of tile functions to numbers of a type. The functions compute in double and
/// round once, as the tile's instructions do, so results have the same bits.
template <class Number> struct TileResult;

template <> struct TileResult<float> {
  static float nan() { return sameBits<float>(NumberFormat<float>::kFixedNaN); }
  static bool isSpecial(float x) { return isNaN(x); }
  /// Returns the nearest float; one that would be denormal is zero.
  static float rounded(double exact) {
    const double magnitude = __builtin_fabs(exact);
    if (magnitude < 0x1p-126)
      return static_cast<float>(
          __builtin_copysign(magnitude >= 0x1p-126 - 0x1p-150 ? 0x1p-126 : 0.0, exact));
    return static_cast<float>(exact);
  }
  static double wide(float x) { return sameBits<float>(NumberFormat<float>::flushed(bitsOf(x))); }
  static float logarithmOfZero() { return -__builtin_inff(); }
};

#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
template <> struct TileResult<half> {
  static half nan() { return sameBits<half>(NumberFormat<half>::kFixedNaN); }
  static bool isSpecial(half x) { return magnitudeOf(x) >= NumberFormat<half>::kExponent; }
  static double wide(half x) { return static_cast<float>(x); }
  /// Returns the nearest half, however the program rounds halves.
  static half rounded(double exact) {
    const unsigned bits = nearest(toOdd(exact));
    if ((bits & 0x7FFF) >= NumberFormat<half>::kExponent)
      return tooLarge(bits & NumberFormat<half>::kSign);
    return sameBits<half>(static_cast<unsigned short>(bits));
  }
  static half logarithmOfZero() { return tooLarge(NumberFormat<half>::kSign); }

private:
  static half tooLarge(unsigned sign) {
#ifdef __IPU_ARCH_VERSION__
    constexpr unsigned kFpCtl = 0x102, kNanoo = 1u << 20;
    if ((__copseReadRegister(kFpCtl) & kNanoo) != 0)
      return nan();
#endif
    return sameBits<half>(static_cast<unsigned short>(sign | 0x7BFF));
  }
  /// Returns a float that rounds to the half that \p exact rounds to.
  static float toOdd(double exact) {
    const double magnitude = __builtin_fabs(exact);
    const double clipped = magnitude > 0x1p100    ? __builtin_copysign(0x1p100, exact)
                           : magnitude < 0x1p-100 ? __builtin_copysign(0.0, exact)
                                                  : exact;
    const float near = static_cast<float>(clipped);
    if (near == clipped || (bitsOf(near) & 1) != 0)
      return near;
    const bool isTooLarge = __builtin_fabs(double(near)) > __builtin_fabs(clipped);
    return sameBits<float>(bitsOf(near) + (isTooLarge ? -1U : 1U));
  }
  /// Returns the pattern of the nearest half; kExponent or more if \p x is too large.
  static unsigned nearest(float x) {
    const unsigned bits = bitsOf(x), sign = bits >> 16 & 0x8000, rest = bits & 0x7FFFFFFF;
    if (rest >= 0x47800000)
      return sign | NumberFormat<half>::kExponent;
    if (rest < 0x38800000)
      return sign | (bitsOf(sameBits<float>(rest) + 0.5f) - bitsOf(0.5f));
    return sign | ((rest - 0x38000000 + 0x0FFF + (rest >> 13 & 1)) >> 13);
  }
};
#else
template <> struct TileResult<half> : TileResult<float> {};
#endif

/// Returns the number as instructions compare it.
template <class Number> inline double wideOf(Number x) { return TileResult<Number>::wide(x); }

/// \param function  takes and returns double; never gets a NaN
template <class Number, class Function> inline Number tileFunction(Number x, Function function) {
  typedef TileResult<Number> Result;
  return Result::isSpecial(x) ? Number(Result::nan()) : Number(function(Result::wide(x)));
}

template <class Number> inline Number exponential(Number x) {
  return tileFunction(x, [](double v) { return TileResult<Number>::rounded(__builtin_exp(v)); });
}
template <class Number> inline Number powerOfTwo(Number x) {
  return tileFunction(x, [](double v) { return TileResult<Number>::rounded(__builtin_exp2(v)); });
}
template <class Number> inline Number hyperbolicTangent(Number x) {
  return tileFunction(x, [](double v) { return TileResult<Number>::rounded(__builtin_tanh(v)); });
}
template <class Number, class Function> inline Number logarithmBy(Number x, Function function) {
  return tileFunction(x, [&](double v) {
    typedef TileResult<Number> Result;
    return v < 0    ? Number(Result::nan())
           : v == 0 ? Number(Result::logarithmOfZero())
                    : Number(Result::rounded(function(v)));
  });
}
template <class Number> inline Number naturalLogarithm(Number x) {
  return logarithmBy(x, [](double v) { return __builtin_log(v); });
}
template <class Number> inline Number binaryLogarithm(Number x) {
  return logarithmBy(x, [](double v) { return __builtin_log2(v); });
}
inline float sigmoidOf(float x) {
  return tileFunction(x, [](double v) {
    if (__builtin_fabs(v) < 0x1p-24)
      return 0.5f;
    if (v < -104 || v >= 18)
      return v < 0 ? 0.0f : 1.0f;
    return TileResult<float>::rounded(1.0 / (1.0 + __builtin_exp(-v)));
  });
}
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
inline half sigmoidOf(half x) {
  return tileFunction(
      x, [](double v) { return TileResult<half>::rounded(1.0 / (1.0 + __builtin_exp(-v))); });
}
#else
inline half sigmoidOf(half x) { return half(sigmoidOf(float(x))); }
#endif
inline float squareRoot(float x) {
  return tileFunction(x, [](double v) {
    return v < 0 ? TileResult<float>::nan() : TileResult<float>::rounded(__builtin_sqrt(v));
  });
}
inline float reciprocal(float x) {
  return tileFunction(x, [](double v) { return TileResult<float>::rounded(1.0 / v); });
}
inline float reciprocalRoot(float x) {
  return tileFunction(x, [](double v) {
    if (v < 0)
      return TileResult<float>::nan();
    return TileResult<float>::rounded(1.0 / __builtin_sqrt(v));
  });
}

} // namespace encoding
} // namespace poplar
