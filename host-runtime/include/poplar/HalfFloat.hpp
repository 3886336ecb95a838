#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

// Warnings about the extended type must not reach codelets.
#pragma GCC system_header

/// A number of 16 bits on IPU targets, IEEE binary16; a float in disguise on CPU targets without
/// accurateHalf (guide, 2.3.2). A type of its own on both. Arithmetic is done in float and rounded
/// to nearest even; as on the tile, a result that is too large becomes the largest half and never
/// an infinity.
class half {
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
  using Stored = _Float16;
  static Stored narrowed(float x) {
    const float largest = 65504.0f;
    // In this order a NaN stays a NaN.
    x = largest < x ? largest : x;
    x = x < -largest ? -largest : x;
    return static_cast<_Float16>(x);
  }
#else
  using Stored = float;
  static Stored narrowed(float x) { return x; }
#endif

  template <typename Number>
  using IfNumber = typename std::enable_if<std::is_arithmetic<Number>::value, int>::type;
  /// What arithmetic of a half and an Number gives: floating types win, integers become halves.
  template <typename Number>
  using With = typename std::enable_if<
      std::is_arithmetic<Number>::value,
      typename std::conditional<std::is_floating_point<Number>::value, Number, half>::type>::type;
  template <typename Number>
  using IfCompared = typename std::enable_if<std::is_arithmetic<Number>::value, bool>::type;

public:
  half() = default;
  template <typename Number, IfNumber<Number> = 0>
  half(Number x) : value_(narrowed(static_cast<float>(x))) {}
  operator float() const { return static_cast<float>(value_); }

  half operator+() const { return *this; }
  half operator-() const {
    half h;
    h.value_ = -value_;
    return h;
  }
  half &operator++() { return *this += half(1); }
  half &operator--() { return *this -= half(1); }
  template <typename Number> half &operator+=(Number x) { return *this = half(*this + x); }
  template <typename Number> half &operator-=(Number x) { return *this = half(*this - x); }
  template <typename Number> half &operator*=(Number x) { return *this = half(*this * x); }
  template <typename Number> half &operator/=(Number x) { return *this = half(*this / x); }

#define COPSE_HALF_ARITHMETIC(op)                                                                  \
  friend half operator op(half a, half b) { return half(float(a) op float(b)); }                   \
  template <typename Number> friend With<Number> operator op(half a, Number b) {                   \
    return static_cast<With<Number>>(With<Number>(float(a)) op With<Number>(b));                   \
  }                                                                                                \
  template <typename Number> friend With<Number> operator op(Number a, half b) {                   \
    return static_cast<With<Number>>(With<Number>(a) op With<Number>(float(b)));                   \
  }
  COPSE_HALF_ARITHMETIC(+)
  COPSE_HALF_ARITHMETIC(-)
  COPSE_HALF_ARITHMETIC(*)
  COPSE_HALF_ARITHMETIC(/)
#undef COPSE_HALF_ARITHMETIC

#define COPSE_HALF_COMPARISON(op)                                                                  \
  friend bool operator op(half a, half b) { return float(a) op float(b); }                         \
  template <typename Number> friend IfCompared<Number> operator op(half a, Number b) {             \
    return float(a) op static_cast<float>(b);                                                      \
  }                                                                                                \
  template <typename Number> friend IfCompared<Number> operator op(Number a, half b) {             \
    return static_cast<float>(a) op float(b);                                                      \
  }
  COPSE_HALF_COMPARISON(==)
  COPSE_HALF_COMPARISON(!=)
  COPSE_HALF_COMPARISON(<)
  COPSE_HALF_COMPARISON(<=)
  COPSE_HALF_COMPARISON(>)
  COPSE_HALF_COMPARISON(>=)
#undef COPSE_HALF_COMPARISON

private:
  Stored value_;
};

namespace std {
/// Of binary16, on CPU targets too: a codelet's constants should not depend on the device.
template <> class numeric_limits<half> : public numeric_limits<float> {
public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, max_exponent = 16;
  static half(max)() { return half(65504.0f); }
  static half lowest() { return half(-65504.0f); }
  static half(min)() { return half(6.103515625e-05f); }
  static half denorm_min() { return half(5.9604644775390625e-08f); }
  static half epsilon() { return half(9.765625e-04f); }
  static half round_error() { return half(0.5f); }
};
} // namespace std
