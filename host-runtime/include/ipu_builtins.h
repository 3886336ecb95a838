#pragma once

#include "ipudef.h"

#include "poplar/TileAddress.hpp"

#pragma GCC system_header

// The tile's instructions as functions: those that native code can do. The others name themselves
// in the compiler's message instead of failing at load.
inline bool __builtin_ipu_isnan(float x) { return __builtin_isnan(x); }
inline bool __builtin_ipu_isinf(float x) { return __builtin_isinf(x); }
inline bool __builtin_ipu_isfinite(float x) { return __builtin_isfinite(x); }
inline float __builtin_ipu_max(float x, float y) { return __builtin_fmaxf(x, y); }
inline float __builtin_ipu_min(float x, float y) { return __builtin_fminf(x, y); }
inline float __builtin_ipu_exp(float x) { return __builtin_expf(x); }
inline float __builtin_ipu_ln(float x) { return __builtin_logf(x); }
/// The tile's number on its IPU. On a CPU target there is one tile.
inline unsigned __builtin_ipu_get_tile_id() { return __copseTileId(); }

#if defined(__GNUC__)
#define COPSE_TILE_ONLY                                                                            \
  __attribute__((error("this instruction needs the tile itself: it is not there in native code")))
// What a native codelet costs is an estimate, made before it runs: no counter moves while it does.
#define COPSE_NO_CYCLES                                                                            \
  __attribute__((error("native code has no cycle counter: measure with poplar::cycleCount, or "    \
                       "guard this with __IPU__")))
unsigned __builtin_ipu_get(unsigned csr) COPSE_TILE_ONLY;
void __builtin_ipu_put(unsigned value, unsigned csr) COPSE_TILE_ONLY;
unsigned __builtin_ipu_uget(unsigned csr) COPSE_TILE_ONLY;
void __builtin_ipu_uput(unsigned value, unsigned csr) COPSE_TILE_ONLY;
unsigned __builtin_ipu_get_scount_l() COPSE_NO_CYCLES;
unsigned __builtin_ipu_get_scount_u() COPSE_NO_CYCLES;
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
#undef COPSE_NO_CYCLES
#endif
