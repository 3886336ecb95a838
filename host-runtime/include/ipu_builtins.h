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
inline float __builtin_ipu_exp2(float x) { return __builtin_exp2f(x); }
inline float __builtin_ipu_log2(float x) { return __builtin_log2f(x); }
inline float __builtin_ipu_tanh(float x) { return __builtin_tanhf(x); }
inline float __builtin_ipu_sqrt(float x) { return __builtin_sqrtf(x); }
inline float __builtin_ipu_rsqrt(float x) { return 1.0f / __builtin_sqrtf(x); }
inline float __builtin_ipu_f16tof32(half x) { return x; }
inline half __builtin_ipu_f32tof16(float x) { return half(x); }

// Random numbers of the worker (poplar/RandomSeed.hpp); each call draws anew.
extern "C" __attribute__((visibility("default"))) void (*__copseRandom)(unsigned long long *bits);

namespace poplar {
namespace encoding {
struct RandomBits {
  unsigned long long words[2];
  RandomBits() { __copseRandom(words); }
  /// Near to normal: the sum of twelve numbers from 0 to 31, around 0.
  float normal(int word) const {
    int sum = -186;
    for (int k = 0; k < 12; ++k)
      sum += static_cast<int>(words[word] >> (5 * k) & 31);
    return static_cast<float>(sum) / 32.0f;
  }
};
} // namespace encoding
} // namespace poplar

inline unsigned __builtin_ipu_urand32() {
  return static_cast<unsigned>(poplar::encoding::RandomBits().words[0]);
}
inline unsigned long long __builtin_ipu_urand64() {
  return poplar::encoding::RandomBits().words[0];
}
/// Uniform in (-0.5, 0.5).
inline float __builtin_ipu_urand_f32() {
  return static_cast<float>((2.0 * __builtin_ipu_urand32() - 4294967295.0) / 8589934592.0);
}
/// Two numbers of the standard normal distribution.
inline float2 __builtin_ipu_f32v2grand() {
  const poplar::encoding::RandomBits bits;
  return float2{bits.normal(0), bits.normal(1)};
}

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
