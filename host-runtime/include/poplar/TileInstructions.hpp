#pragma once

#include "ipu_builtins.h"

#include "poplar/TileFunctions.hpp"

#include <type_traits>

#pragma GCC system_header

// Builtins with the names of the tile's instructions, and overloads with the names of the
// operations for which the tile has several instructions. A builtin is native code if that computes
// the same bits as the tile, and else inline assembly, which the interpreter of tile instructions
// executes.
#if defined(__clang__) && defined(__IPU_ARCH_VERSION__)

#define COPSE_UNARY(name, R, A)                                                                    \
  inline R __builtin_ipu_##name(A x) {                                                             \
    R r;                                                                                           \
    asm(#name " %0, %1" : "=r"(r) : "r"(x));                                                       \
    return r;                                                                                      \
  }
#define COPSE_BINARY(name, R, A, B)                                                                \
  inline R __builtin_ipu_##name(A x, B y) {                                                        \
    R r;                                                                                           \
    asm(#name " %0, %1, %2" : "=r"(r) : "r"(x), "r"(y));                                           \
    return r;                                                                                      \
  }
/// Defines an overload \p name that executes the instruction \p instruction.
#define COPSE_ALSO1(name, instruction, R, A)                                                       \
  inline R __builtin_ipu_##name(A x) { return __builtin_ipu_##instruction(x); }
#define COPSE_ALSO2(name, instruction, R, A, B)                                                    \
  inline R __builtin_ipu_##name(A x, B y) { return __builtin_ipu_##instruction(x, y); }

// Arithmetic.
COPSE_BINARY(f32div, float, float, float)
#define COPSE_ARITHMETIC(name)                                                                     \
  COPSE_BINARY(f32##name, float, float, float)                                                     \
  COPSE_BINARY(f32v2##name, float2, float2, float2)                                                \
  COPSE_BINARY(f16v2##name, half2, half2, half2)                                                   \
  COPSE_BINARY(f16v4##name, half4, half4, half4)
#define COPSE_OVERLOADED(name)                                                                     \
  COPSE_ALSO2(name, f32##name, float, float, float)                                                \
  COPSE_ALSO2(name, f32v2##name, float2, float2, float2)                                           \
  COPSE_ALSO2(name, f16v2##name, half2, half2, half2)                                              \
  COPSE_ALSO2(name, f16v4##name, half4, half4, half4)
COPSE_ARITHMETIC(add)
COPSE_ARITHMETIC(sub)
COPSE_ARITHMETIC(mul)
COPSE_ARITHMETIC(absadd)
COPSE_OVERLOADED(absadd)

// Choices and comparisons. True is a number whose bits are all ones.
#define COPSE_ELEMENTWISE(name, function)                                                          \
  inline float __builtin_ipu_f32##name(float x, float y) { return function(x, y); }                \
  inline float2 __builtin_ipu_f32v2##name(float2 x, float2 y) {                                    \
    return float2{function(x[0], y[0]), function(x[1], y[1])};                                     \
  }                                                                                                \
  inline half2 __builtin_ipu_f16v2##name(half2 x, half2 y) {                                       \
    return half2{function(half(x[0]), half(y[0])), function(half(x[1]), half(y[1]))};              \
  }                                                                                                \
  inline half4 __builtin_ipu_f16v4##name(half4 x, half4 y) {                                       \
    return half4{function(half(x[0]), half(y[0])), function(half(x[1]), half(y[1])),               \
                 function(half(x[2]), half(y[2])), function(half(x[3]), half(y[3]))};              \
  }
COPSE_ELEMENTWISE(max, poplar::encoding::chosen<true>)
COPSE_ELEMENTWISE(min, poplar::encoding::chosen<false>)
COPSE_ELEMENTWISE(absmax, poplar::encoding::largerMagnitude)
COPSE_OVERLOADED(absmax)
#define COPSE_COMPARISON(name, op)                                                                 \
  COPSE_ELEMENTWISE(name, [](auto a, auto b) {                                                     \
    return poplar::encoding::mask<decltype(a)>(poplar::encoding::wideOf(a)                         \
                                                   op poplar::encoding::wideOf(b));                \
  })                                                                                               \
  COPSE_OVERLOADED(name)
COPSE_COMPARISON(cmpeq, ==)
COPSE_COMPARISON(cmpne, !=)
COPSE_COMPARISON(cmplt, <)
COPSE_COMPARISON(cmple, <=)
COPSE_COMPARISON(cmpgt, >)
COPSE_COMPARISON(cmpge, >=)
#undef COPSE_COMPARISON
/// \p y contains the lower and the upper limit.
COPSE_BINARY(f32clamp, float, float, float2)
COPSE_BINARY(f32v2clamp, float2, float2, float2)
COPSE_BINARY(f16v2clamp, half2, half2, half2)
COPSE_BINARY(f16v4clamp, half4, half4, half2)
COPSE_ALSO2(clamp, f32clamp, float, float, float2)
COPSE_ALSO2(clamp, f32v2clamp, float2, float2, float2)
COPSE_ALSO2(clamp, f16v2clamp, half2, half2, half2)
COPSE_ALSO2(clamp, f16v4clamp, half4, half4, half2)
#undef COPSE_ARITHMETIC
#undef COPSE_ELEMENTWISE
#undef COPSE_OVERLOADED

// Functions of one number.
#define COPSE_FUNCTION(name, function)                                                             \
  inline float __builtin_ipu_f32##name(float x) { return poplar::encoding::function(x); }          \
  inline half2 __builtin_ipu_f16v2##name(half2 x) {                                                \
    return half2{poplar::encoding::function(half(x[0])), poplar::encoding::function(half(x[1]))};  \
  }                                                                                                \
  inline half __builtin_ipu_##name(half x) { return poplar::encoding::function(x); }               \
  COPSE_ALSO1(name, f16v2##name, half2, half2)                                                     \
  inline half4 __builtin_ipu_##name(half4 x) {                                                     \
    return half4{poplar::encoding::function(half(x[0])), poplar::encoding::function(half(x[1])),   \
                 poplar::encoding::function(half(x[2])), poplar::encoding::function(half(x[3]))};  \
  }                                                                                                \
  inline float2 __builtin_ipu_##name(float2 x) {                                                   \
    return float2{poplar::encoding::function(x[0]), poplar::encoding::function(x[1])};             \
  }
COPSE_FUNCTION(exp, exponential)
COPSE_FUNCTION(exp2, powerOfTwo)
COPSE_FUNCTION(ln, naturalLogarithm)
COPSE_FUNCTION(log2, binaryLogarithm)
COPSE_FUNCTION(tanh, hyperbolicTangent)
COPSE_FUNCTION(sigm, sigmoidOf)
#undef COPSE_FUNCTION
inline float __builtin_ipu_sigm(float x) { return poplar::encoding::sigmoidOf(x); }
inline float __builtin_ipu_f32sqrt(float x) { return poplar::encoding::squareRoot(x); }
inline float __builtin_ipu_f32oox(float x) { return poplar::encoding::reciprocal(x); }
inline float __builtin_ipu_f32oorx(float x) { return poplar::encoding::reciprocalRoot(x); }
COPSE_ALSO1(oox, f32oox, float, float)
COPSE_ALSO1(oorx, f32oorx, float, float)
/// Rounds to a whole number: \p mode 0 to the nearest and even, 1 up, 2 down, 3 towards zero, 4 to
/// the nearest with ties away from zero.
inline float __builtin_ipu_f32int(float x, unsigned mode) {
  float r;
  switch (mode & 7) {
  case 1:
    asm("f32int %0, %1, 1" : "=r"(r) : "r"(x));
    break;
  case 2:
    asm("f32int %0, %1, 2" : "=r"(r) : "r"(x));
    break;
  case 3:
    asm("f32int %0, %1, 3" : "=r"(r) : "r"(x));
    break;
  case 4:
    asm("f32int %0, %1, 4" : "=r"(r) : "r"(x));
    break;
  default:
    asm("f32int %0, %1, 0" : "=r"(r) : "r"(x));
  }
  return r;
}
/// The class of each number, in a byte.
#define COPSE_CLASS(name, A)                                                                       \
  inline unsigned __builtin_ipu_##name(A x) {                                                      \
    float r;                                                                                       \
    asm(#name " %0, %1" : "=r"(r) : "r"(x));                                                       \
    return poplar::encoding::sameBits<unsigned>(r);                                                \
  }
COPSE_CLASS(f32class, float)
COPSE_CLASS(f32v2class, float2)
COPSE_CLASS(f16v2class, half2)
COPSE_CLASS(f16v4class, half4)
#undef COPSE_CLASS

// Sums and maxima within a vector.
COPSE_UNARY(f16v2sum, float, half2)
COPSE_UNARY(f16v4sum, float2, half4)
COPSE_ALSO1(sum, f16v2sum, float, half2)
COPSE_ALSO1(sum, f16v4sum, float2, half4)
COPSE_UNARY(f16v2maxc, half2, half2)
COPSE_UNARY(f16v4maxc, half2, half4)
inline half __builtin_ipu_maxc(half2 x) { return __builtin_ipu_f16v2maxc(x)[0]; }
COPSE_ALSO1(maxc, f16v4maxc, half2, half4)

// Conversions.
COPSE_UNARY(f16v2tof32, float2, half2)
COPSE_UNARY(f32v2tof16, half2, float2)
COPSE_UNARY(f32v4tof16, half4, float4)
COPSE_ALSO1(f16tof32, f16v2tof32, float2, half2)
COPSE_ALSO1(f32tof16, f32v2tof16, half2, float2)
COPSE_ALSO1(f32tof16, f32v4tof16, half4, float4)
/// Integers are in registers of floats.
#define COPSE_FROM_INTEGER(name, R, Integer, Register)                                             \
  inline R __builtin_ipu_##name(Integer x) {                                                       \
    R r;                                                                                           \
    asm(#name " %0, %1" : "=r"(r) : "r"(poplar::encoding::sameBits<Register>(x)));                 \
    return r;                                                                                      \
  }
COPSE_FROM_INTEGER(f32fromi32, float, int, float)
COPSE_FROM_INTEGER(f32fromui32, float, unsigned, float)
COPSE_FROM_INTEGER(f32sufromui, float, unsigned, float)
COPSE_FROM_INTEGER(f32v2sufromui, float2, uint2, float2)
COPSE_FROM_INTEGER(f16v2sufromui, half2, ushort2, half2)
COPSE_FROM_INTEGER(f16v4sufromui, half4, ushort4, half4)
#undef COPSE_FROM_INTEGER
#define COPSE_TO_INTEGER(name, Integer)                                                            \
  inline Integer __builtin_ipu_##name(float x) {                                                   \
    float r;                                                                                       \
    asm(#name " %0, %1" : "=r"(r) : "r"(x));                                                       \
    return poplar::encoding::sameBits<Integer>(r);                                                 \
  }
COPSE_TO_INTEGER(f32toi32, int)
COPSE_TO_INTEGER(f32toui32, unsigned)
#undef COPSE_TO_INTEGER

// Random numbers.
inline half2 __builtin_ipu_f16v2grand() {
  half2 r;
  asm volatile("f16v2grand %0" : "=r"(r));
  return r;
}
/// Keeps elements of \p x with a probability: \p y has it in units of 1 / 65536.
#define COPSE_RANDOM_MASK(name, V)                                                                 \
  inline V __builtin_ipu_##name(V x, unsigned y) {                                                 \
    V r;                                                                                           \
    asm volatile(#name " %0, %1, %2"                                                               \
                 : "=r"(r)                                                                         \
                 : "r"(x), "r"(poplar::encoding::sameBits<float>(y)));                             \
    return r;                                                                                      \
  }
COPSE_RANDOM_MASK(f16v4rmask, half4)
COPSE_RANDOM_MASK(f32v2rmask, float2)
#undef COPSE_RANDOM_MASK
COPSE_ALSO2(rmask, f16v4rmask, half4, half4, unsigned)
COPSE_ALSO2(rmask, f32v2rmask, float2, float2, unsigned)

// Accumulators of the worker.
#define COPSE_ACCUMULATE(name, A)                                                                  \
  inline void __builtin_ipu_##name(A x) { asm volatile(#name " %0" : : "r"(x)); }
#define COPSE_ACCUMULATE_PRODUCT(name, A)                                                          \
  inline void __builtin_ipu_##name(A x, A y) { asm volatile(#name " %0, %1" : : "r"(x), "r"(y)); }
/// Eight halves, in two vectors of four.
#define COPSE_ACCUMULATE8(name)                                                                    \
  inline void __builtin_ipu_##name(half4 x, half4 y) {                                             \
    const half4 both[] = {x, y};                                                                   \
    asm volatile(#name " %0" : : "r"(poplar::encoding::sameBits<float4>(both)));                   \
  }
COPSE_ACCUMULATE_PRODUCT(f32mac, float)
COPSE_ACCUMULATE_PRODUCT(f32v2mac, float2)
COPSE_ACCUMULATE_PRODUCT(f16v2cmac, half2)
COPSE_ACCUMULATE_PRODUCT(f16v4cmac, half4)
COPSE_ALSO2(mac, f32mac, void, float, float)
COPSE_ALSO2(mac, f32v2mac, void, float2, float2)
COPSE_ALSO2(cmac, f16v2cmac, void, half2, half2)
COPSE_ALSO2(cmac, f16v4cmac, void, half4, half4)
COPSE_ACCUMULATE(f32v4acc, float4)
COPSE_ACCUMULATE(f16v4acc, half4)
COPSE_ACCUMULATE8(f16v8acc)
COPSE_ACCUMULATE(f32v4absacc, float4)
COPSE_ACCUMULATE(f16v4absacc, half4)
COPSE_ACCUMULATE8(f16v8absacc)
COPSE_ACCUMULATE(f32v4sqacc, float4)
COPSE_ACCUMULATE8(f16v8sqacc)
#undef COPSE_ACCUMULATE
#undef COPSE_ACCUMULATE8
#undef COPSE_ACCUMULATE_PRODUCT
inline half4 __builtin_ipu_f16v4mix(half4 x, half4 y) {
  half4 r;
  asm volatile("f16v4mix %0, %1, %2" : "=r"(r) : "r"(x), "r"(y));
  return r;
}
inline half4 __builtin_ipu_f16v4gacc() {
  half4 r;
  asm volatile("f16v4gacc %0" : "=r"(r));
  return r;
}
/// Immediates choose one of the forms.
inline half2 __builtin_ipu_f16v2gina(half2 x, unsigned immediate) {
  half2 r;
  switch (immediate & 3) {
  case 0:
    asm volatile("f16v2gina %0, %1, 0" : "=r"(r) : "r"(x));
    break;
  case 1:
    asm volatile("f16v2gina %0, %1, 1" : "=r"(r) : "r"(x));
    break;
  case 2:
    asm volatile("f16v2gina %0, %1, 2" : "=r"(r) : "r"(x));
    break;
  default:
    asm volatile("f16v2gina %0, %1, 3" : "=r"(r) : "r"(x));
  }
  return r;
}
inline half2 __builtin_ipu_gina(half2 x, unsigned immediate) {
  return __builtin_ipu_f16v2gina(x, immediate);
}
inline half4 __builtin_ipu_f16v4stacc(unsigned phase) {
  half4 r;
  if ((phase & 1) == 0)
    asm volatile("f16v4stacc %0, 0" : "=r"(r));
  else
    asm volatile("f16v4stacc %0, 1" : "=r"(r));
  return r;
}
inline half4 __builtin_ipu_f16v4istacc(half4 x, half4 y, unsigned phase) {
  half4 r;
  if ((phase & 1) == 0)
    asm volatile("f16v4istacc %0, %1, %2, 0" : "=r"(r) : "r"(x), "r"(y));
  else
    asm volatile("f16v4istacc %0, %1, %2, 1" : "=r"(r) : "r"(x), "r"(y));
  return r;
}

#if __IPU_ARCH_VERSION__ == 21
// Numbers of 8 bits, four in an unsigned and eight in a uint2.
inline half2 __builtin_ipu_f8v2tof16(unsigned x) {
  half2 r;
  asm("f8v2tof16 %0, %1" : "=r"(r) : "r"(poplar::encoding::sameBits<float>(x)));
  return r;
}
inline half4 __builtin_ipu_f8v4tof16(unsigned x) {
  half4 r;
  asm("f8v4tof16 %0, %1" : "=r"(r) : "r"(poplar::encoding::sameBits<float>(x)));
  return r;
}
inline unsigned __builtin_ipu_f16v2tof8(half2 x) {
  float r;
  asm volatile("f16v2tof8 %0, %1" : "=r"(r) : "r"(x));
  return poplar::encoding::sameBits<unsigned>(r);
}
inline uint2 __builtin_ipu_f16v8tof8(half4 x, half4 y) {
  const half4 both[] = {x, y};
  float2 r;
  asm volatile("f16v8tof8 %0, %1" : "=r"(r) : "r"(poplar::encoding::sameBits<float4>(both)));
  return poplar::encoding::sameBits<uint2>(r);
}
inline unsigned __builtin_ipu_f8v4class(unsigned x) {
  float r;
  asm("f8v4class %0, %1" : "=r"(r) : "r"(poplar::encoding::sameBits<float>(x)));
  return poplar::encoding::sameBits<unsigned>(r);
}
#endif

#undef COPSE_UNARY
#undef COPSE_BINARY
#undef COPSE_ALSO1
#undef COPSE_ALSO2

// Bits and bytes of 32 bits in any type, and of 64.
#define COPSE_OF_BYTES(n) template <class T, typename std::enable_if<sizeof(T) == n, int>::type = 0>
#define COPSE_BITS2(name, n, Bits, expression)                                                     \
  COPSE_OF_BYTES(n) inline T __builtin_ipu_##name(T a, T b) {                                      \
    const Bits x = poplar::encoding::sameBits<Bits>(a), y = poplar::encoding::sameBits<Bits>(b);   \
    return poplar::encoding::sameBits<T>(expression);                                              \
  }
#define COPSE_BITS1(name, n, Bits, expression)                                                     \
  COPSE_OF_BYTES(n) inline T __builtin_ipu_##name(T a) {                                           \
    const Bits x = poplar::encoding::sameBits<Bits>(a);                                            \
    return poplar::encoding::sameBits<T>(expression);                                              \
  }
#define COPSE_WORDS1(name) COPSE_BITS1(name, 4, unsigned, __builtin_ipu_##name(x))
#define COPSE_WORDS2(name) COPSE_BITS2(name, 4, unsigned, __builtin_ipu_##name(x, y))
COPSE_WORDS2(roll8l)
COPSE_WORDS2(roll8r)
COPSE_WORDS2(roll16)
COPSE_WORDS2(shuf8x8lo)
COPSE_WORDS2(shuf8x8hi)
COPSE_WORDS2(sort8x8lo)
COPSE_WORDS2(sort8x8hi)
COPSE_WORDS2(sort4x16lo)
COPSE_WORDS2(sort4x16hi)
COPSE_WORDS1(sort8)
COPSE_WORDS1(swap8)
COPSE_WORDS1(bitrev8)
#undef COPSE_WORDS1
#undef COPSE_WORDS2
#define COPSE_PAIRS2(name, expression) COPSE_BITS2(name, 8, unsigned long long, expression)
COPSE_PAIRS2(roll32, x >> 32 | y << 32)
COPSE_PAIRS2(sort4x32lo, (x & 0xFFFFFFFF) | y << 32)
COPSE_PAIRS2(sort4x32hi, x >> 32 | (y >> 32) << 32)
#define COPSE_LOGIC(name, expression)                                                              \
  COPSE_BITS2(name, 4, unsigned, expression)                                                       \
  COPSE_PAIRS2(name, expression)
COPSE_LOGIC(and, x &y)
COPSE_LOGIC(or, x | y)
COPSE_LOGIC(andc, x & ~y)
#undef COPSE_LOGIC
COPSE_BITS2(and_f32, 4, unsigned, x &y)
COPSE_BITS2(or_f32, 4, unsigned, x | y)
COPSE_BITS1(not_f32, 4, unsigned, ~x)
COPSE_BITS1(not, 4, unsigned, ~x)
COPSE_BITS1(not, 8, unsigned long long, ~x)
#undef COPSE_PAIRS2
#undef COPSE_BITS1
#undef COPSE_BITS2
#undef COPSE_OF_BYTES

// Integers. The absolute value of the least one is 0.
inline int __builtin_ipu_abs(int x) { return x == -2147483647 - 1 ? 0 : __builtin_abs(x); }
template <class Int, typename std::enable_if<std::is_same<Int, int>::value, int>::type = 0>
inline int __builtin_ipu_max(Int x, Int y) {
  return x > y ? x : y;
}
template <class Int, typename std::enable_if<std::is_same<Int, int>::value, int>::type = 0>
inline int __builtin_ipu_min(Int x, Int y) {
  return x < y ? x : y;
}

#endif
