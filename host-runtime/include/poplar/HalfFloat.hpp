#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

// Warnings about the extended type must not reach codelets.
#pragma GCC system_header

#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)

/// IEEE binary16, a built-in type. Each operation is rounded to nearest even, unless the program
/// selects another rounding (poplar/CSRFunctions.hpp). As on the tile, a result that is too large
/// becomes the largest half and never an infinity: popc inserts the necessary code. See User guide,
/// 2.3.2.
typedef _Float16 half;

#else

/// Stands for half on CPU targets without accurateHalf: a type of its own that contains a float. A
/// class cannot behave like a built-in type in an operand of ?: if each operand converts to the
/// other; popc rewrites such expressions. See User guide, 2.3.2.
class half {
  template <typename Number>
  using IfNumber = typename std::enable_if<std::is_arithmetic<Number>::value, int>::type;
  /// The type of arithmetic of a half and a Number: floating types win, integers become halves.
  template <typename Number>
  using With = typename std::enable_if<
      std::is_arithmetic<Number>::value,
      typename std::conditional<std::is_floating_point<Number>::value, Number, half>::type>::type;
  template <typename Number>
  using IfCompared = typename std::enable_if<std::is_arithmetic<Number>::value, bool>::type;

  /// Accepts fields, which convert to their elements.
  template <typename Edge>
  using IfHoldsNumber =
      typename std::enable_if<std::is_class<Edge>::value && !std::is_same<Edge, half>::value &&
                                  std::is_convertible<const Edge &, float>::value,
                              int>::type;

public:
  /// Makes a half with an undefined value.
  half() = default;

  ///@{

  /// Converts a number, or a field that holds one, to a half.
  template <typename Number, IfNumber<Number> = 0>
  constexpr half(Number x) : value_(static_cast<float>(x)) {}
  template <typename Edge, IfHoldsNumber<Edge> = 0>
  half(const Edge &edge) : half(static_cast<float>(edge)) {}
  template <typename Number, IfNumber<Number> = 0> half &operator=(Number x) {
    return *this = half(x);
  }
  ///@}

  /// Converts to float, without loss.
  constexpr operator float() const { return value_; }

  /// Returns the number.
  constexpr half operator+() const { return *this; }
  /// Returns the number with the opposite sign.
  constexpr half operator-() const { return half(-value_); }

  ///@{

  /// Adds or subtracts one.
  half &operator++() { return *this += half(1); }
  half &operator--() { return *this -= half(1); }
  half operator++(int) {
    const half before = *this;
    ++*this;
    return before;
  }
  half operator--(int) {
    const half before = *this;
    --*this;
    return before;
  }
  ///@}

  ///@{

  /// Computes with another number and assigns the result.
  template <typename Number> half &operator+=(Number x) { return *this = half(*this + x); }
  template <typename Number> half &operator-=(Number x) { return *this = half(*this - x); }
  template <typename Number> half &operator*=(Number x) { return *this = half(*this * x); }
  template <typename Number> half &operator/=(Number x) { return *this = half(*this / x); }
  ///@}

#define COPSE_HALF_ARITHMETIC(op)                                                                  \
  friend constexpr half operator op(half a, half b) { return half(float(a) op float(b)); }         \
  template <typename Number> friend constexpr With<Number> operator op(half a, Number b) {         \
    return static_cast<With<Number>>(With<Number>(float(a)) op With<Number>(b));                   \
  }                                                                                                \
  template <typename Number> friend constexpr With<Number> operator op(Number a, half b) {         \
    return static_cast<With<Number>>(With<Number>(a) op With<Number>(float(b)));                   \
  }

  ///@{

  /// Computes with halves and numbers: with a floating-point number in its type, with an integer as
  /// halves.
  COPSE_HALF_ARITHMETIC(+)
  COPSE_HALF_ARITHMETIC(-)
  COPSE_HALF_ARITHMETIC(*)
  COPSE_HALF_ARITHMETIC(/)
  ///@}
#undef COPSE_HALF_ARITHMETIC

#define COPSE_HALF_COMPARISON(op)                                                                  \
  friend constexpr bool operator op(half a, half b) { return float(a) op float(b); }               \
  template <typename Number> friend constexpr IfCompared<Number> operator op(half a, Number b) {   \
    return float(a) op static_cast<float>(b);                                                      \
  }                                                                                                \
  template <typename Number> friend constexpr IfCompared<Number> operator op(Number a, half b) {   \
    return static_cast<float>(a) op float(b);                                                      \
  }

  ///@{

  /// Compares halves and numbers.
  COPSE_HALF_COMPARISON(==)
  COPSE_HALF_COMPARISON(!=)
  COPSE_HALF_COMPARISON(<)
  COPSE_HALF_COMPARISON(<=)
  COPSE_HALF_COMPARISON(>)
  COPSE_HALF_COMPARISON(>=)
  ///@}
#undef COPSE_HALF_COMPARISON

private:
  float value_;
};

namespace poplar {
namespace encoding {

/// Gives the type to which popc converts an operand of `?:` if one operand is a half and the other
/// another number: float for a half, any other type unchanged.
template <typename T> struct PlainNumber {
  using type = T;
};
template <> struct PlainNumber<half> {
  using type = float;
};
template <> struct PlainNumber<half &> {
  using type = float;
};
template <> struct PlainNumber<const half &> {
  using type = float;
};
template <typename T> constexpr typename PlainNumber<T>::type plainNumber(T &&x) {
  return static_cast<T &&>(x);
}

} // namespace encoding
} // namespace poplar
#endif

namespace std {
/// The limits of binary16, on CPU targets too: a codelet's constants should not depend on the
/// device.
template <> class numeric_limits<half> : public numeric_limits<float> {
  static constexpr half exactly(float x) { return static_cast<half>(x); }

public:
  static constexpr int digits = 11, digits10 = 3, max_digits10 = 5;
  static constexpr int min_exponent = -13, min_exponent10 = -4;
  static constexpr int max_exponent = 16, max_exponent10 = 4;
  static constexpr half(max)() { return exactly(65504.0f); }
  static constexpr half lowest() { return exactly(-65504.0f); }
  static constexpr half(min)() { return exactly(6.103515625e-05f); }
  static constexpr half denorm_min() { return exactly(5.9604644775390625e-08f); }
  static constexpr half epsilon() { return exactly(9.765625e-04f); }
  static constexpr half round_error() { return exactly(0.5f); }
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
  static constexpr half infinity() { return __builtin_inff16(); } // no conversion returns one
#else
  static constexpr half infinity() { return exactly(numeric_limits<float>::infinity()); }
#endif
  static constexpr half quiet_NaN() { return exactly(numeric_limits<float>::quiet_NaN()); }
};
} // namespace std

#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
#include "poplar/HalfMath.hpp"
#endif
