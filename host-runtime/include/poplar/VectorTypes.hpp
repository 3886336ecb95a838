#pragma once

#include "poplar/HalfFloat.hpp"

// Vector extensions are none of the business of a codelet's warnings.
#pragma GCC system_header

// Short vectors (guide, 2.3.3, table 2.2), sizes as on the tile. A long has 32 bits there, is a type
// of its own, and comparisons of float2 give a long2: here wchar_t is such a type.
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

// Vectors of bools, each of a byte, which masks (what comparisons of other vectors give) become.
#define COPSE_BOOL_VECTOR_OPERATION(V, N, op)                                                      \
  friend V operator op(V a, V b) {                                                                 \
    V r;                                                                                           \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i];                                                                         \
    return r;                                                                                      \
  }
#define COPSE_BOOL_VECTOR(V, N)                                                                    \
  struct alignas(N) V {                                                                            \
    bool elements[N];                                                                              \
    V() = default;                                                                                 \
    template <class... Bools>                                                                      \
    V(bool first, bool second, Bools... others) : elements{first, second, bool(others)...} {       \
      static_assert(2 + sizeof...(Bools) == N, "one value for each element");                      \
    }                                                                                              \
    template <class Mask, class = decltype(Mask()[0])> V(const Mask &mask) {                       \
      for (int i = 0; i < N; ++i)                                                                  \
        elements[i] = mask[i] != 0;                                                                \
    }                                                                                              \
    bool &operator[](int i) { return elements[i]; }                                                \
    const bool &operator[](int i) const { return elements[i]; }                                    \
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
COPSE_BOOL_VECTOR(bool2, 2)
COPSE_BOOL_VECTOR(bool4, 4)
COPSE_BOOL_VECTOR(bool8, 8)
#undef COPSE_BOOL_VECTOR
#undef COPSE_BOOL_VECTOR_OPERATION

#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__)
typedef half half2 __attribute__((vector_size(4)));
typedef half half4 __attribute__((vector_size(8)));
#else
// Vectors of halves are classes where half itself is one, with the operations of the extension:
// elementwise arithmetic, also with a scalar, and comparisons that give a mask of shorts.
#define COPSE_HALF_VECTOR_ARITHMETIC(V, N, op)                                                     \
  friend V operator op(V a, V b) {                                                                 \
    V r;                                                                                           \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i];                                                                         \
    return r;                                                                                      \
  }                                                                                                \
  friend V operator op(V a, half b) { return a op V::filled(b); }                                  \
  friend V operator op(half a, V b) { return V::filled(a) op b; }                                  \
  V &operator op##=(V b) { return *this = *this op b; }                                            \
  V &operator op##=(half b) { return *this = *this op b; }
#define COPSE_HALF_VECTOR_COMPARISON(V, N, op)                                                     \
  friend short##N operator op(V a, V b) {                                                          \
    short##N r = {};                                                                               \
    for (int i = 0; i < N; ++i)                                                                    \
      r[i] = a[i] op b[i] ? short(-1) : short(0);                                                  \
    return r;                                                                                      \
  }
#define COPSE_HALF_VECTOR(V, N)                                                                    \
  struct alignas(N * sizeof(half)) V {                                                             \
    half elements[N];                                                                              \
    half &operator[](int i) { return elements[i]; }                                                \
    const half &operator[](int i) const { return elements[i]; }                                    \
    static V filled(half x) {                                                                      \
      V v;                                                                                         \
      for (half & element : v.elements)                                                            \
        element = x;                                                                               \
      return v;                                                                                    \
    }                                                                                              \
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
COPSE_HALF_VECTOR(half2, 2)
COPSE_HALF_VECTOR(half4, 4)
#undef COPSE_HALF_VECTOR
#undef COPSE_HALF_VECTOR_COMPARISON
#undef COPSE_HALF_VECTOR_ARITHMETIC

namespace poplar {
namespace encoding {

/// Elementwise conversion, also to and from the vectors that are classes.
template <typename To, int Elements, typename From> inline To convertedVector(const From &from) {
  To to;
  for (int i = 0; i < Elements; ++i)
    to[i] = from[i];
  return to;
}
template <typename To, typename From> struct VectorConversion {
  static To of(const From &from) { return __builtin_convertvector(from, To); }
};
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
#define __builtin_convertvector(from, To) ::poplar::encoding::convertVector<To>(from)
#endif
