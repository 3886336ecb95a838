#pragma once

#include "poplar/VectorTypes.hpp"

#pragma GCC system_header

namespace poplar {
namespace encoding {

/// Describes how numbers of a type are stored, for functions whose results must have the same bits
/// as the results of the tile's instructions.
template <class Number> struct NumberFormat;
template <> struct NumberFormat<float> {
  typedef unsigned Bits;
  typedef int Ordered;
  static constexpr Bits kSign = 0x80000000, kExponent = 0x7F800000, kQuiet = 0x00400000;
  static constexpr Bits kFixedNaN = 0x7FD9C07E;
  /// Replaces a denormal float by zero, as the tile does.
  static Bits flushed(Bits x) { return (x & kExponent) != 0 ? x : x & kSign; }
};
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
template <> struct NumberFormat<half> {
  typedef unsigned short Bits;
  typedef short Ordered;
  static constexpr Bits kSign = 0x8000, kExponent = 0x7C00, kQuiet = 0x0200;
  static constexpr Bits kFixedNaN = 0x7ECE;
  static Bits flushed(Bits x) { return x; }
};
#else // a class that contains a float
template <> struct NumberFormat<half> : NumberFormat<float> {};
#endif

template <class To, class From> inline To sameBits(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "");
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}
template <class Number> inline typename NumberFormat<Number>::Bits bitsOf(Number x) {
  return sameBits<typename NumberFormat<Number>::Bits>(x);
}
template <class Number> inline typename NumberFormat<Number>::Bits magnitudeOf(Number x) {
  typedef typename NumberFormat<Number>::Bits Bits;
  return static_cast<Bits>(bitsOf(x) & static_cast<Bits>(~NumberFormat<Number>::kSign));
}

template <class Number> inline bool isNaN(Number x) {
  return magnitudeOf(x) > NumberFormat<Number>::kExponent;
}
template <class Number> inline bool isInfinite(Number x) {
  return magnitudeOf(x) == NumberFormat<Number>::kExponent;
}
template <class Number> inline bool isFinite(Number x) {
  return magnitudeOf(x) < NumberFormat<Number>::kExponent;
}

/// Returns the one of two numbers that max instructions (\p Larger) or min instructions return: -0
/// is less than +0, one quiet NaN is ignored, and a signalling one gives the NaN that the tile
/// makes.
template <bool Larger, class Number> inline Number chosen(Number x, Number y) {
  typedef NumberFormat<Number> Format;
  typedef typename Format::Bits Bits;
  typedef typename Format::Ordered Ordered;
  const Bits a = Format::flushed(bitsOf(x)), b = Format::flushed(bitsOf(y));
  constexpr Bits kMagnitude = static_cast<Bits>(~Format::kSign);
  const bool nanA = (a & kMagnitude) > Format::kExponent,
             nanB = (b & kMagnitude) > Format::kExponent;
  const bool signals = (nanA && (a & Format::kQuiet) == 0) || (nanB && (b & Format::kQuiet) == 0);
  // Patterns in the order of the numbers that they stand for.
  const Ordered orderA = static_cast<Ordered>((a & Format::kSign) != 0 ? a ^ kMagnitude : a);
  const Ordered orderB = static_cast<Ordered>((b & Format::kSign) != 0 ? b ^ kMagnitude : b);
  const bool takesA = nanB || (!nanA && (Larger ? orderA >= orderB : orderA <= orderB));
  const Bits bits = signals || (nanA && nanB) ? Format::kFixedNaN : takesA ? a : b;
  return sameBits<Number>(bits);
}
template <class Number> inline Number magnitude(Number x) {
  return sameBits<Number>(magnitudeOf(x));
}
template <class Number> inline Number withoutBits(Number x, Number y) {
  typedef typename NumberFormat<Number>::Bits Bits;
  return sameBits<Number>(static_cast<Bits>(bitsOf(x) & static_cast<Bits>(~bitsOf(y))));
}

template <class Number> inline Number largerMagnitude(Number x, Number y) {
  return chosen<true>(magnitude(x), magnitude(y));
}
/// Returns the bits that instructions give for true and false.
template <class Number> inline Number mask(bool isTrue) {
  typedef typename NumberFormat<Number>::Bits Bits;
  return sameBits<Number>(static_cast<Bits>(isTrue ? ~Bits{0} : Bits{0}));
}

/// Applies \p function to each element of a vector with \p Elements elements.
/// \returns the results as a \p Result
template <class Result, int Elements, class Function, class Vector>
inline Result elementwise(Function function, Vector x) {
  Result r;
  for (int i = 0; i < Elements; ++i)
    r[i] = function(x[i]);
  return r;
}
template <class Result, int Elements, class Function, class Vector>
inline Result elementwise(Function function, Vector x, Vector y) {
  Result r;
  for (int i = 0; i < Elements; ++i)
    r[i] = function(x[i], y[i]);
  return r;
}

} // namespace encoding
} // namespace poplar

// g++ gives C linkage to all names that begin with __builtin_, so it can have no overloads of them.
// Codelets are compiled by clang; host programs and tests that include their headers need the
// floats only.
#ifdef __clang__
#define COPSE_CLASSIFICATION(name, function)                                                       \
  inline bool name(float x) { return poplar::encoding::function(x); }                              \
  inline bool name(half x) { return poplar::encoding::function(x); }                               \
  inline int2 name(float2 x) {                                                                     \
    return poplar::encoding::elementwise<int2, 2>([](float e) { return int(name(e)); }, x);        \
  }                                                                                                \
  inline short2 name(half2 x) {                                                                    \
    return poplar::encoding::elementwise<short2, 2>([](half e) { return short(name(e)); }, x);     \
  }                                                                                                \
  inline short4 name(half4 x) {                                                                    \
    return poplar::encoding::elementwise<short4, 4>([](half e) { return short(name(e)); }, x);     \
  }
#define COPSE_CHOICE_OF(name, V, Element, N)                                                       \
  inline V name(V x, V y) {                                                                        \
    return poplar::encoding::elementwise<V, N>([](Element a, Element b) { return name(a, b); }, x, \
                                               y);                                                 \
  }
#define COPSE_CHOICE(name, larger)                                                                 \
  inline float name(float x, float y) { return poplar::encoding::chosen<larger>(x, y); }           \
  inline half name(half x, half y) { return poplar::encoding::chosen<larger>(x, y); }              \
  COPSE_CHOICE_OF(name, float2, float, 2)                                                          \
  COPSE_CHOICE_OF(name, half2, half, 2)                                                            \
  COPSE_CHOICE_OF(name, half4, half, 4)
#else
#define COPSE_CLASSIFICATION(name, function)                                                       \
  inline bool name(float x) { return poplar::encoding::function(x); }
#define COPSE_CHOICE_OF(name, V, Element, N)
#define COPSE_CHOICE(name, larger)                                                                 \
  inline float name(float x, float y) { return poplar::encoding::chosen<larger>(x, y); }
#endif

///@{

/// Returns true where the number is a NaN, an infinity or a finite number, as the name says; for
/// vectors, 1 or 0 for each element.
COPSE_CLASSIFICATION(__builtin_ipu_isnan, isNaN)
COPSE_CLASSIFICATION(__builtin_ipu_isinf, isInfinite)
COPSE_CLASSIFICATION(__builtin_ipu_isfinite, isFinite)
///@}
#undef COPSE_CLASSIFICATION

///@{

/// Returns the larger or the smaller number, as the instructions of the tile choose between NaNs
/// and zeroes.
COPSE_CHOICE(__builtin_ipu_max, true)
COPSE_CHOICE(__builtin_ipu_min, false)
///@}
#undef COPSE_CHOICE
#undef COPSE_CHOICE_OF
