#pragma once

#include "ipudef.h"

#include <cmath>

#pragma GCC system_header

// The tile's instructions as functions: those that native code can do. The others name themselves in the
// compiler's message instead of failing at load.
inline bool __builtin_ipu_isnan(float x) { return std::isnan(x); }
inline bool __builtin_ipu_isinf(float x) { return std::isinf(x); }
inline bool __builtin_ipu_isfinite(float x) { return std::isfinite(x); }
inline float __builtin_ipu_max(float x, float y) { return std::fmax(x, y); }
inline float __builtin_ipu_min(float x, float y) { return std::fmin(x, y); }
inline float __builtin_ipu_exp(float x) { return std::exp(x); }
inline float __builtin_ipu_ln(float x) { return std::log(x); }

#if defined(__GNUC__)
#define COPSE_TILE_ONLY                                                                            \
  __attribute__((error("this instruction needs the tile itself: it is not there in native code")))
unsigned __builtin_ipu_get(unsigned csr) COPSE_TILE_ONLY;
void __builtin_ipu_put(unsigned value, unsigned csr) COPSE_TILE_ONLY;
unsigned __builtin_ipu_uget(unsigned csr) COPSE_TILE_ONLY;
void __builtin_ipu_uput(unsigned value, unsigned csr) COPSE_TILE_ONLY;
unsigned __builtin_ipu_get_tile_id() COPSE_TILE_ONLY;
unsigned __builtin_ipu_get_scount_l() COPSE_TILE_ONLY;
unsigned __builtin_ipu_get_scount_u() COPSE_TILE_ONLY;
unsigned __builtin_ipu_urand32() COPSE_TILE_ONLY;
float __builtin_ipu_urand_f32() COPSE_TILE_ONLY;
float2 __builtin_ipu_f32v2grand() COPSE_TILE_ONLY;
void __builtin_ipu_ld64putcs(unsigned n) COPSE_TILE_ONLY;
void __builtin_ipu_ld128putcs(unsigned n) COPSE_TILE_ONLY;
void __builtin_ipu_put_tas(float x) COPSE_TILE_ONLY;
float2 __builtin_ipu_f32v2axpy(float2 x, float2 y) COPSE_TILE_ONLY;
void __builtin_ipu_f32v2cmac(float2 x, float2 y) COPSE_TILE_ONLY;
void __builtin_ipu_aacc_zero() COPSE_TILE_ONLY;
float2 __builtin_ipu_gina(float2 x, unsigned n) COPSE_TILE_ONLY;
#undef COPSE_TILE_ONLY
#endif
