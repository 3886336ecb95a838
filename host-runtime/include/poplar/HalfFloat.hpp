#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

// Warnings about the extended type must not reach codelets.
#pragma GCC system_header

#if defined(__COPSE_BUILTIN_HALF__)
#include "poplar/BuiltinHalf.hpp"
#else

#if defined(__IPU_ARCH_VERSION__)
// Set by what runs the codelet while halves are not simply rounded to nearest. The function gives
// the bits of the half that \p x is rounded to; the mask is then 0.
extern "C" __attribute__((visibility("default"))) unsigned short (*__copseRoundToHalf)(float x);
extern "C" __attribute__((visibility("protected"))) unsigned __copseHalfMask;
#endif

/// A number of 16 bits on IPU targets, IEEE binary16; a float in disguise on CPU targets without
/// accurateHalf (guide, 2.3.2). A type of its own on both. Arithmetic is done in float and rounded
/// to nearest even, unless the program asks for something else (poplar/CSRFunctions.hpp); as on the
/// tile, a result that is too large becomes the largest half and never an infinity.
///
/// A class cannot be all that a built-in type is: where both operands of ?: convert to each other,
/// that is an error. For IPU targets popc then tries again with poplar/BuiltinHalf.hpp.
class half {
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
  using Stored = _Float16;
  // The comparisons stand in this order so that a NaN stays a NaN.
  static constexpr float atMost(float x) { return 65504.0f < x ? 65504.0f : x; }
  static constexpr Stored nearest(float x) {
    return static_cast<_Float16>(atMost(x) < -65504.0f ? -65504.0f : atMost(x));
  }
#if defined(__IPU_ARCH_VERSION__)
  // Not quite pure, as it may draw random numbers: but called so seldom that loops should not read
  // their pointers again for its sake. Its caller sees to it that no two calls become one.
  __attribute__((cold, noinline, pure)) static Stored asTheTileRounds(float x) {
    if (!__copseRoundToHalf)
      return nearest(x);
    const unsigned short bits = __copseRoundToHalf(x);
    Stored stored;
    __builtin_memcpy(&stored, &bits, sizeof stored);
    return stored;
  }
  /// The half of \p bits, which stay where they were tested: to take them out of a vector register
  /// a second time, to store them, makes loops a tenth slower.
  static Stored kept(unsigned short bits) {
    __asm__("" : "+r"(bits));
    Stored stored;
    __builtin_memcpy(&stored, &bits, sizeof stored);
    return stored;
  }
  static Stored rounded(float x) {
    const Stored half = static_cast<_Float16>(x);
    unsigned short bits;
    __builtin_memcpy(&bits, &half, sizeof bits);
    // The mask is that of the exponent: one test finds infinities, NaN, and that the mask is 0.
    const bool special = static_cast<unsigned short>((bits + 0x0400u) & __copseHalfMask) == 0;
    if (!__builtin_expect(special, 0))
      return kept(bits);
    float drawnFor = x;
    __asm__ volatile("" : "+m"(drawnFor)); // for all that the compiler knows, another number
    return asTheTileRounds(drawnFor);
  }
  static constexpr Stored narrowed(float x) {
    return __builtin_is_constant_evaluated() ? nearest(x) : rounded(x);
  }
#else
  static constexpr Stored narrowed(float x) { return nearest(x); }
#endif
#else
  using Stored = float;
  static constexpr Stored narrowed(float x) { return x; }
#endif
  struct AsStored {};
  constexpr half(Stored value, AsStored) : value_(value) {}

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
  constexpr half(Number x) : value_(narrowed(static_cast<float>(x))) {}
  template <typename Number, IfNumber<Number> = 0> half &operator=(Number x) {
    return *this = half(x);
  }
  constexpr operator float() const { return static_cast<float>(value_); }
  /// Not rounded: an infinity stays one.
  static constexpr half exactly(float x) { return half(static_cast<Stored>(x), AsStored()); }

  constexpr half operator+() const { return *this; }
  constexpr half operator-() const { return half(-value_, AsStored()); }
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
  template <typename Number> half &operator+=(Number x) { return *this = half(*this + x); }
  template <typename Number> half &operator-=(Number x) { return *this = half(*this - x); }
  template <typename Number> half &operator*=(Number x) { return *this = half(*this * x); }
  template <typename Number> half &operator/=(Number x) { return *this = half(*this / x); }

#define COPSE_HALF_ARITHMETIC(op)                                                                  \
  friend constexpr half operator op(half a, half b) { return half(float(a) op float(b)); }         \
  template <typename Number> friend constexpr With<Number> operator op(half a, Number b) {         \
    return static_cast<With<Number>>(With<Number>(float(a)) op With<Number>(b));                   \
  }                                                                                                \
  template <typename Number> friend constexpr With<Number> operator op(Number a, half b) {         \
    return static_cast<With<Number>>(With<Number>(a) op With<Number>(float(b)));                   \
  }
  COPSE_HALF_ARITHMETIC(+)
  COPSE_HALF_ARITHMETIC(-)
  COPSE_HALF_ARITHMETIC(*)
  COPSE_HALF_ARITHMETIC(/)
#undef COPSE_HALF_ARITHMETIC

#define COPSE_HALF_COMPARISON(op)                                                                  \
  friend constexpr bool operator op(half a, half b) { return float(a) op float(b); }               \
  template <typename Number> friend constexpr IfCompared<Number> operator op(half a, Number b) {   \
    return float(a) op static_cast<float>(b);                                                      \
  }                                                                                                \
  template <typename Number> friend constexpr IfCompared<Number> operator op(Number a, half b) {   \
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
#if !defined(__IPU_ARCH_VERSION__)
namespace poplar {
namespace encoding {

/// What popc makes of the operands of `?:` where one is a half and the other another number: the
/// half is a float, all else is as it was.
template <typename T> struct PlainNumber { using type = T; };
template <> struct PlainNumber<half> { using type = float; };
template <> struct PlainNumber<half &> { using type = float; };
template <> struct PlainNumber<const half &> { using type = float; };
template <typename T> constexpr typename PlainNumber<T>::type plainNumber(T &&x) {
  return static_cast<T &&>(x);
}

} // namespace encoding
} // namespace poplar
#endif
#endif // __COPSE_BUILTIN_HALF__

namespace std {
/// Of binary16, on CPU targets too: a codelet's constants should not depend on the device.
template <> class numeric_limits<half> : public numeric_limits<float> {
#if defined(__COPSE_BUILTIN_HALF__)
  static constexpr half exactly(float x) { return static_cast<half>(x); }
#else
  static constexpr half exactly(float x) { return half::exactly(x); }
#endif

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
  static constexpr half infinity() { return exactly(numeric_limits<float>::infinity()); }
  static constexpr half quiet_NaN() { return exactly(numeric_limits<float>::quiet_NaN()); }
};
} // namespace std
