#pragma once

#include "poplar/HalfFloat.hpp"

// Keeps the compiler from warning codelets of these vector extensions.
#pragma GCC system_header

/// \file
/// Short vectors of codelets (User guide, 2.3.3), with the sizes that they have on the tile. On the
/// tile, long is a separate type of 32 bits, and comparisons of float2 give a long2. On the host
/// wchar_t is such a type, so long2 and long4 have elements of wchar_t.

///@{

/// A short vector of the type and number of elements in its name. Operators work on each element;
/// comparisons give a vector of 0 and -1.
typedef char char2 __attribute__((vector_size(2)));
typedef char char4 __attribute__((vector_size(4)));
typedef unsigned char uchar2 __attribute__((vector_size(2)));
typedef unsigned char uchar4 __attribute__((vector_size(4)));
typedef short short2 __attribute__((vector_size(4)));
typedef short short4 __attribute__((vector_size(8)));
typedef unsigned short ushort2 __attribute__((vector_size(4)));
typedef unsigned short ushort4 __attribute__((vector_size(8)));
typedef int int2 __attribute__((vector_size(8)));
typedef int int4 __attribute__((vector_size(16)));
typedef unsigned int uint2 __attribute__((vector_size(8)));
typedef unsigned int uint4 __attribute__((vector_size(16)));
typedef wchar_t long2 __attribute__((vector_size(8)));
typedef wchar_t long4 __attribute__((vector_size(16)));
typedef long long longlong2 __attribute__((vector_size(16)));
typedef long long longlong4 __attribute__((vector_size(32)));
typedef float float2 __attribute__((vector_size(8)));
typedef float float4 __attribute__((vector_size(16)));
///@}

// Vectors of bools, each of a byte, which masks (what comparisons of other vectors give) become.
/// Defines an operation of bool vectors; for this file only.
#define COPSE_BOOL_VECTOR_OPERATION(V, N, op)                                                      \
  /** Computes or compares each element. */                                                        \
  friend V operator op(V a, V b) {                                                                 \
    V r;                                                                                           \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i];                                                                         \
    return r;                                                                                      \
  }
/// Defines a vector of bools; for this file only.
#define COPSE_BOOL_VECTOR(V, N)                                                                    \
  struct alignas(N) V {                                                                            \
    /** The elements. */                                                                           \
    bool elements[N];                                                                              \
    /** Makes a vector with undefined elements. */                                                 \
    V() = default;                                                                                 \
    /** Makes a vector of its elements. */                                                         \
    template <class... Bools>                                                                      \
    V(bool first, bool second, Bools... others) : elements{first, second, bool(others)...} {       \
      static_assert(2 + sizeof...(Bools) == N, "one value for each element");                      \
    }                                                                                              \
    /** Makes true elements where a mask is not 0. */                                              \
    template <class Mask, class = decltype(Mask()[0])> V(const Mask &mask) {                       \
      for (int i = 0; i < N; ++i)                                                                  \
        elements[i] = mask[i] != 0;                                                                \
    }                                                                                              \
    /** Returns element i, from 0. */                                                              \
    bool &operator[](int i) { return elements[i]; }                                                \
    /** Returns element i, from 0. */                                                              \
    const bool &operator[](int i) const { return elements[i]; }                                    \
    /** Returns the opposite of each element. */                                                   \
    V operator!() const {                                                                          \
      V r;                                                                                         \
      for (int i = 0; i < N; ++i)                                                                  \
        r[i] = !elements[i];                                                                       \
      return r;                                                                                    \
    }                                                                                              \
    COPSE_BOOL_VECTOR_OPERATION(V, N, &)                                                           \
    COPSE_BOOL_VECTOR_OPERATION(V, N, |)                                                           \
    COPSE_BOOL_VECTOR_OPERATION(V, N, ^)                                                           \
    COPSE_BOOL_VECTOR_OPERATION(V, N, &&)                                                          \
    COPSE_BOOL_VECTOR_OPERATION(V, N, ||)                                                          \
    COPSE_BOOL_VECTOR_OPERATION(V, N, ==)                                                          \
    COPSE_BOOL_VECTOR_OPERATION(V, N, !=)                                                          \
  };
/// A vector of 2 bools.
COPSE_BOOL_VECTOR(bool2, 2)
/// A vector of 4 bools.
COPSE_BOOL_VECTOR(bool4, 4)
/// A vector of 8 bools.
COPSE_BOOL_VECTOR(bool8, 8)
#undef COPSE_BOOL_VECTOR
#undef COPSE_BOOL_VECTOR_OPERATION

#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
typedef half half2 __attribute__((vector_size(4)));
typedef half half4 __attribute__((vector_size(8)));
#else
// Vectors of halves are classes where half itself is one, with the operations of the extension:
// elementwise arithmetic, also with a scalar, and comparisons that give a mask of shorts.
/// Defines arithmetic of half vectors; for this file only.
#define COPSE_HALF_VECTOR_ARITHMETIC(V, N, op)                                                     \
  /** Computes with each element. */                                                               \
  friend V operator op(V a, V b) {                                                                 \
    V r;                                                                                           \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i];                                                                         \
    return r;                                                                                      \
  }                                                                                                \
  /** Computes with each element and one number. */                                                \
  friend V operator op(V a, half b) { return a op V::filled(b); }                                  \
  /** Computes with one number and each element. */                                                \
  friend V operator op(half a, V b) { return V::filled(a) op b; }                                  \
  /** Computes with each element and assigns the result. */                                        \
  V &operator op##=(V b) { return *this = *this op b; }                                            \
  /** Computes with each element and one number and assigns the result. */                         \
  V &operator op##=(half b) { return *this = *this op b; }
/// Defines a comparison of half vectors; for this file only.
#define COPSE_HALF_VECTOR_COMPARISON(V, N, op)                                                     \
  /** Compares each element: -1 where it holds, else 0. */                                         \
  friend short##N operator op(V a, V b) {                                                          \
    short##N r = {};                                                                               \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i] ? short(-1) : short(0);                                                  \
    return r;                                                                                      \
  }
/// Defines a vector of halves; for this file only.
#define COPSE_HALF_VECTOR(V, N)                                                                    \
  struct alignas(N * sizeof(half)) V {                                                             \
    /** The elements. */                                                                           \
    half elements[N];                                                                              \
    /** Returns element i, from 0. */                                                              \
    half &operator[](int i) { return elements[i]; }                                                \
    /** Returns element i, from 0. */                                                              \
    const half &operator[](int i) const { return elements[i]; }                                    \
    /** Makes a vector of equal elements. */                                                       \
    static V filled(half x) {                                                                      \
      V v;                                                                                         \
      for (half & element : v.elements)                                                            \
        element = x;                                                                               \
      return v;                                                                                    \
    }                                                                                              \
    /** Returns each element with the opposite sign. */                                            \
    V operator-() const { return filled(half(-1)) * *this; }                                       \
    COPSE_HALF_VECTOR_ARITHMETIC(V, N, +)                                                          \
    COPSE_HALF_VECTOR_ARITHMETIC(V, N, -)                                                          \
    COPSE_HALF_VECTOR_ARITHMETIC(V, N, *)                                                          \
    COPSE_HALF_VECTOR_ARITHMETIC(V, N, /)                                                          \
    COPSE_HALF_VECTOR_COMPARISON(V, N, ==)                                                         \
    COPSE_HALF_VECTOR_COMPARISON(V, N, !=)                                                         \
    COPSE_HALF_VECTOR_COMPARISON(V, N, <)                                                          \
    COPSE_HALF_VECTOR_COMPARISON(V, N, <=)                                                         \
    COPSE_HALF_VECTOR_COMPARISON(V, N, >)                                                          \
    COPSE_HALF_VECTOR_COMPARISON(V, N, >=)                                                         \
  };
/// A vector of 2 halves; computes and compares elementwise.
COPSE_HALF_VECTOR(half2, 2)
/// A vector of 4 halves; computes and compares elementwise.
COPSE_HALF_VECTOR(half4, 4)
#undef COPSE_HALF_VECTOR
#undef COPSE_HALF_VECTOR_COMPARISON
#undef COPSE_HALF_VECTOR_ARITHMETIC

namespace poplar {
namespace encoding {

/// Converts a vector element by element, also to and from the vectors that are classes.
template <typename To, int Elements, typename From> inline To convertedVector(const From &from) {
  To to;
  for (int i = 0; i < Elements; ++i)
    to[i] = from[i];
  return to;
}
template <typename To, typename From> struct VectorConversion {
  static To of(const From &from) { return __builtin_convertvector(from, To); }
};
/// Defines conversions of half vectors; for this file only.
#define COPSE_CONVERSION_OF_HALVES(V, N)                                                           \
  template <typename To> struct VectorConversion<To, V> {                                          \
    static To of(const V &from) { return convertedVector<To, N>(from); }                           \
  };                                                                                               \
  template <typename From> struct VectorConversion<V, From> {                                      \
    static V of(const From &from) { return convertedVector<V, N>(from); }                          \
  };                                                                                               \
  template <> struct VectorConversion<V, V> {                                                      \
    static V of(const V &from) { return from; }                                                    \
  };
COPSE_CONVERSION_OF_HALVES(half2, 2)
COPSE_CONVERSION_OF_HALVES(half4, 4)
#undef COPSE_CONVERSION_OF_HALVES

template <typename To, typename From> inline To convertVector(const From &from) {
  return VectorConversion<To, From>::of(from);
}

} // namespace encoding
} // namespace poplar
  /// Converts each element of a vector; the builtin of clang, for vectors that are classes, too.
#define __builtin_convertvector(from, To) ::poplar::encoding::convertVector<To>(from)
#endif
