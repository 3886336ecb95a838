#pragma once

#include <cmath>
#include <math.h>

#pragma GCC system_header

// The functions of the standard library would be ambiguous for half. The functions here compute in
// float, as the class of CPU targets does.
#define COPSE_HALF_FUNCTION(name)                                                                  \
  inline float name(_Float16 x) { return name(static_cast<float>(x)); }
#define COPSE_HALF_FUNCTION_OF_TWO(name)                                                           \
  inline float name(_Float16 x, _Float16 y) {                                                      \
    return name(static_cast<float>(x), static_cast<float>(y));                                     \
  }                                                                                                \
  inline float name(_Float16 x, float y) { return name(static_cast<float>(x), y); }                \
  inline float name(float x, _Float16 y) { return name(x, static_cast<float>(y)); }
namespace std {
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
COPSE_HALF_FUNCTION_OF_TWO(pow)
COPSE_HALF_FUNCTION_OF_TWO(fmod)
COPSE_HALF_FUNCTION_OF_TWO(atan2)
COPSE_HALF_FUNCTION_OF_TWO(fmin)
COPSE_HALF_FUNCTION_OF_TWO(fmax)
COPSE_HALF_FUNCTION_OF_TWO(hypot)
COPSE_HALF_FUNCTION_OF_TWO(copysign)
COPSE_HALF_FUNCTION_OF_TWO(fdim)
COPSE_HALF_FUNCTION_OF_TWO(remainder)
inline float fma(_Float16 x, _Float16 y, _Float16 z) {
  return fma(static_cast<float>(x), static_cast<float>(y), static_cast<float>(z));
}
inline bool isnan(_Float16 x) { return isnan(static_cast<float>(x)); }
inline bool isinf(_Float16 x) { return isinf(static_cast<float>(x)); }
inline bool isfinite(_Float16 x) { return isfinite(static_cast<float>(x)); }
inline bool signbit(_Float16 x) { return signbit(static_cast<float>(x)); }
} // namespace std
#undef COPSE_HALF_FUNCTION_OF_TWO
#undef COPSE_HALF_FUNCTION

// <math.h> has them at global scope, too.
using std::abs;
using std::acos;
using std::asin;
using std::atan;
using std::atan2;
using std::cbrt;
using std::ceil;
using std::copysign;
using std::cos;
using std::cosh;
using std::erf;
using std::exp;
using std::exp2;
using std::expm1;
using std::fabs;
using std::fdim;
using std::floor;
using std::fma;
using std::fmax;
using std::fmin;
using std::fmod;
using std::hypot;
using std::isfinite;
using std::isinf;
using std::isnan;
using std::log;
using std::log10;
using std::log1p;
using std::log2;
using std::nearbyint;
using std::pow;
using std::remainder;
using std::rint;
using std::round;
using std::signbit;
using std::sin;
using std::sinh;
using std::sqrt;
using std::tan;
using std::tanh;
using std::trunc;
