#pragma once

#if defined(__COPSE_BUILTIN_HALF__)

#include "poplar/IeeeHalf.hpp"

#include <cmath>
#include <type_traits>

#pragma GCC system_header

// half as a type of the compiler, for codelets that a class does not satisfy. The compiler is told
// that the machine has no instructions for it, and calls the functions below to round and to widen:
// so arithmetic saturates, and follows the program's floating-point behaviour, as that of the class
// does; only slower.

typedef _Float16 half;

extern "C" __attribute__((visibility("default"))) unsigned short (*__copseRoundToHalf)(float x);

namespace poplar {
namespace encoding {

#if defined(__AVX2__) // CPUs with AVX2 have these instructions
inline unsigned short nearestHalf(float x) {
  unsigned bits;
  __asm__("vcvtps2ph $0, %1, %%xmm0\n\tvmovd %%xmm0, %0" : "=r"(bits) : "x"(x) : "xmm0");
  return static_cast<unsigned short>(bits);
}
inline float widened(unsigned short bits) {
  float x;
  __asm__("vmovd %1, %0\n\tvcvtph2ps %0, %0" : "=x"(x) : "r"(static_cast<unsigned>(bits)));
  return x;
}
#else
inline unsigned short nearestHalf(float x) { return IeeeHalf(x).bit(); }
inline float widened(unsigned short bits) { return IeeeHalf::fromBits(bits); }
#endif

inline unsigned short roundedHalf(float x) {
  if (__copseRoundToHalf)
    return __copseRoundToHalf(x);
  x = 65504.0f < x ? 65504.0f : x; // in this order a NaN stays a NaN
  return nearestHalf(x < -65504.0f ? -65504.0f : x);
}

} // namespace encoding
} // namespace poplar

#define COPSE_COMPILERS_FUNCTION extern "C" __attribute__((visibility("hidden"), used))
COPSE_COMPILERS_FUNCTION half __truncsfhf2(float x) {
  const unsigned short bits = poplar::encoding::roundedHalf(x);
  half h;
  __builtin_memcpy(&h, &bits, sizeof h);
  return h;
}
COPSE_COMPILERS_FUNCTION half __truncdfhf2(double x) { return __truncsfhf2(static_cast<float>(x)); }
COPSE_COMPILERS_FUNCTION float __extendhfsf2(half h) {
  unsigned short bits;
  __builtin_memcpy(&bits, &h, sizeof bits);
  return poplar::encoding::widened(bits);
}
#undef COPSE_COMPILERS_FUNCTION

// The library's functions would be ambiguous for a type that it does not know.
namespace std {
#define COPSE_HALF_FUNCTION(name)                                                                  \
  inline float name(half x) { return name(static_cast<float>(x)); }
COPSE_HALF_FUNCTION(abs)
COPSE_HALF_FUNCTION(fabs)
COPSE_HALF_FUNCTION(sqrt)
COPSE_HALF_FUNCTION(cbrt)
COPSE_HALF_FUNCTION(exp)
COPSE_HALF_FUNCTION(exp2)
COPSE_HALF_FUNCTION(expm1)
COPSE_HALF_FUNCTION(log)
COPSE_HALF_FUNCTION(log2)
COPSE_HALF_FUNCTION(log10)
COPSE_HALF_FUNCTION(log1p)
COPSE_HALF_FUNCTION(sin)
COPSE_HALF_FUNCTION(cos)
COPSE_HALF_FUNCTION(tan)
COPSE_HALF_FUNCTION(asin)
COPSE_HALF_FUNCTION(acos)
COPSE_HALF_FUNCTION(atan)
COPSE_HALF_FUNCTION(sinh)
COPSE_HALF_FUNCTION(cosh)
COPSE_HALF_FUNCTION(tanh)
COPSE_HALF_FUNCTION(erf)
COPSE_HALF_FUNCTION(floor)
COPSE_HALF_FUNCTION(ceil)
COPSE_HALF_FUNCTION(trunc)
COPSE_HALF_FUNCTION(round)
COPSE_HALF_FUNCTION(rint)
COPSE_HALF_FUNCTION(nearbyint)
#undef COPSE_HALF_FUNCTION
inline bool isnan(half x) { return isnan(static_cast<float>(x)); }
inline bool isinf(half x) { return isinf(static_cast<float>(x)); }
inline bool isfinite(half x) { return isfinite(static_cast<float>(x)); }
inline bool signbit(half x) { return signbit(static_cast<float>(x)); }
} // namespace std

#endif
