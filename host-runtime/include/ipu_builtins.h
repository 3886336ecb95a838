#pragma once

#include "ipudef.h"

#include "poplar/NumberBits.hpp"
#include "poplar/TileAddress.hpp"
#include "poplar/TileFunctions.hpp"
#include "poplar/WorkerAccumulators.hpp"
#include "poplar/WorkerRandom.hpp"

#pragma GCC system_header

/// \file
/// Declares functions for the tile's instructions that native code can execute. More instructions,
/// and overloads for vectors, are in poplar/TileInstructions.hpp.

///@{

/// Executes the instruction that the name contains. The result has the same bits as on the tile.
inline float __builtin_ipu_exp(float x) { return poplar::encoding::exponential(x); }
inline float __builtin_ipu_ln(float x) { return poplar::encoding::naturalLogarithm(x); }
inline float __builtin_ipu_exp2(float x) { return poplar::encoding::powerOfTwo(x); }
inline float __builtin_ipu_log2(float x) { return poplar::encoding::binaryLogarithm(x); }
inline float __builtin_ipu_tanh(float x) { return poplar::encoding::hyperbolicTangent(x); }
inline float __builtin_ipu_sqrt(float x) { return poplar::encoding::squareRoot(x); }
inline float __builtin_ipu_rsqrt(float x) { return poplar::encoding::reciprocalRoot(x); }
inline float __builtin_ipu_f16tof32(half x) {
  return poplar::encoding::isNaN(x) ? poplar::encoding::TileResult<float>::nan() : float(x);
}
inline half __builtin_ipu_f32tof16(float x) {
  return poplar::encoding::isFinite(x) ? half(x) : half(poplar::encoding::TileResult<half>::nan());
}
///@}

/// Returns the tile's number on its IPU. On a CPU target there is one tile.
inline unsigned __builtin_ipu_get_tile_id() { return __copseTileId(); }

// Registers (arch/gc_tile_defines.h has their numbers).
/// \cond
/// Pointers that the emulator sets before it runs a codelet. Codelets should use the functions
/// below instead.
extern "C" __attribute__((visibility("default"))) unsigned (*__copseReadRegister)(unsigned index);
extern "C" __attribute__((visibility("default"))) void (*__copseWriteRegister)(unsigned index,
                                                                               unsigned value);
/// \endcond
#ifdef __clang__ // warns where the number is a constant
#define COPSE_KNOWN_REGISTER(isKnown, what)                                                        \
  __attribute__((diagnose_if(!(isKnown),                                                           \
                             "native code cannot " what                                            \
                             " this control register: a vertex that gets here ends "               \
                             "the program",                                                        \
                             "warning")))
#else
/// Warns if the number of a register is a constant and native code cannot access that register; for
/// this file only.
#define COPSE_KNOWN_REGISTER(isKnown, what)
#endif

///@{

/// Reads or writes a control register by its number. get and put take any number. uget and uput are
/// for the registers from 256 on, and also take a number without its upper bit.
///
/// Native code can read $WSR, $VERTEX_BASE, $FP_CTL, the state of the random numbers, $TAS and the
/// cycle counters, and write those of them that a tile can write. Native code can also write
/// $FP_ICTL, $PRNG_SEED, $FP_CLR and $CCCSLOAD; on ipu21 also $FP_NFMT, $FP_SCL, $FP_INFMT and
/// $FP_ISCL. An access to any other register ends the vertex with a fault. This includes $FP_STS,
/// because a compiler for the host does not preserve which floating-point events the tile's
/// instructions would report. A value that is written to $FP_CTL, $FP_NFMT or $FP_SCL holds until
/// the vertex ends.
inline unsigned __builtin_ipu_get(unsigned csr)
    COPSE_KNOWN_REGISTER(csr == 0x01 || csr == 0x02 || csr == 0x20 || csr == 0x31 || csr == 0x33 ||
                             csr == 0x50 || csr == 0x60 || csr == 0x61 ||
                             (csr >= 0x102 && csr < 0x10B),
                         "read") {
  return __copseReadRegister(csr);
}
inline void __builtin_ipu_put(unsigned value, unsigned csr)
    COPSE_KNOWN_REGISTER(csr == 0x02 || csr == 0x20 || csr == 0x31 || csr == 0x33 || csr == 0x50 ||
                             (csr >= 0x100 && csr < 0x10B),
                         "write") {
  __copseWriteRegister(csr, value);
}
// An instruction has eight bits for the number, so programs use numbers from 256 on with and
// without the upper bit. $TAS and the accumulators are state of the native code, so they are
// accessed here.
inline unsigned __builtin_ipu_uget(unsigned csr)
    COPSE_KNOWN_REGISTER((csr & 0xFF) >= 2 && (csr & 0xFF) < 11, "read") {
  if ((csr & 0xFF) != 0x08) // $TAS
    return __copseReadRegister(csr | 0x100);
  unsigned bits;
  __builtin_memcpy(&bits, &poplar::encoding::WorkerAccumulators::ours().scale, sizeof bits);
  return bits;
}
inline void __builtin_ipu_uput(unsigned value, unsigned csr)
    COPSE_KNOWN_REGISTER((csr & 0xFF) < 11, "write") {
  if ((csr & 0xFF) == 0x08) { // $TAS
    __builtin_memcpy(&poplar::encoding::WorkerAccumulators::ours().scale, &value, sizeof value);
    return;
  }
  if ((csr & 0xFF) == 0x01 && (value & 8) != 0) // $FP_CLR, ZAACC
    poplar::encoding::WorkerAccumulators::ours().clear();
  __copseWriteRegister(csr | 0x100, value);
}
///@}
#undef COPSE_KNOWN_REGISTER

///@{

/// Returns the lower or the upper half of the supervisor's cycle counter. The counter begins with
/// the modelled time at which the compute set started, and advances by the cycles that the vertex
/// counts (docs/timing-model.md).
inline unsigned __builtin_ipu_get_scount_l() { return __copseReadRegister(0x60); }
inline unsigned __builtin_ipu_get_scount_u() { return __copseReadRegister(0x61); }
///@}

// Accumulators of the worker.
///@{

/// Executes the accumulating instruction that the name contains, on the worker's accumulators.
inline void __builtin_ipu_aacc_zero() { poplar::encoding::WorkerAccumulators::ours().clear(); }
inline void __builtin_ipu_put_tas(float scale) {
  poplar::encoding::WorkerAccumulators::ours().scale = scale;
}
inline float2 __builtin_ipu_f32v2axpy(float2 x, float2 y) {
  return poplar::encoding::WorkerAccumulators::ours().axpy(x, y);
}
inline void __builtin_ipu_f32v2cmac(float2 x, float2 y) {
  poplar::encoding::WorkerAccumulators::ours().multiplyAdd(x, y);
}
inline void __builtin_ipu_f32v2aop(float2 x, float2 y, unsigned) {
  poplar::encoding::WorkerAccumulators::ours().outerProduct(x, y);
}
inline float2 __builtin_ipu_f32v2gina(float2 in, unsigned immediate) {
  return poplar::encoding::WorkerAccumulators::ours().shift(in, immediate);
}
inline float2 __builtin_ipu_gina(float2 in, unsigned immediate) {
  return poplar::encoding::WorkerAccumulators::ours().shift(in, immediate);
}
///@}

// The matrix unit. Immediates: poplar/TileConstants.hpp.
/// \cond
extern "C" __attribute__((visibility("default"))) void (*__copseLoadWeights)(unsigned index,
                                                                             unsigned groups);
/// \endcond

///@{

/// Loads weights of the matrix unit, which all workers of the tile share: the address is in
/// $CCCSLOAD, and each load advances it.
inline void __builtin_ipu_ld64putcs(unsigned index) { __copseLoadWeights(index, 1); }
inline void __builtin_ipu_ld128putcs(unsigned index) { __copseLoadWeights(index, 2); }
///@}
/// Defines an instruction of the matrix unit; for this file only.
#define COPSE_MATRIX(name, bits, Result, Input, Partials)                                          \
  inline Result __builtin_ipu_##name(Input x, Partials partials, unsigned immediate) {             \
    constexpr unsigned kRegisters = 4u << 20 | 2u << 12;                                           \
    return poplar::encoding::WorkerAccumulators::ours().matrix<Result>(                            \
        bits | kRegisters | (immediate & 63), x, partials);                                        \
  }

///@{

/// Executes the instruction of the matrix unit that the name contains, with the tile's arithmetic.
COPSE_MATRIX(f32sisoamp, 0x5b000f00u, float2, float, float2)
COPSE_MATRIX(f32sisov2amp, 0x5b000f40u, float2, float, float2)
COPSE_MATRIX(f32sisoslic, 0x5b000e00u, float2, float, float2)
COPSE_MATRIX(f32sisov2slic, 0x5b000e40u, float2, float, float2)
#if defined(__IPU_ARCH_VERSION__) || defined(__COPSE_ACCURATE_HALF__) // else halves are floats
COPSE_MATRIX(f16v4sisoamp, 0x5b000700u, float2, half4, float2)
COPSE_MATRIX(f16v4sihoamp, 0x5b000500u, half2, half4, float2)
COPSE_MATRIX(f16v4hihoamp, 0x5b000100u, half2, half4, half2)
COPSE_MATRIX(f16v4hihov4amp, 0x5b000740u, half4, half4, half4)
COPSE_MATRIX(f16v4sisoslic, 0x5b000600u, float2, half4, float2)
COPSE_MATRIX(f16v4sihoslic, 0x5b000400u, half2, half4, float2)
COPSE_MATRIX(f16v4hihoslic, 0x5b000000u, half2, half4, half2)
COPSE_MATRIX(f16v4hihov4slic, 0x5b000640u, half4, half4, half4)
#endif
///@}
#undef COPSE_MATRIX
#if defined(__IPU_ARCH_VERSION__) && __IPU_ARCH_VERSION__ == 21
/// Executes the instruction of the matrix unit that the name contains, on numbers of 8 bits.
/// $FP_NFMT has the format of inputs and weights, $FP_SCL the scale of the products.
/// \param x  eight numbers of 8 bits, in any type of 64 bits
template <typename Eight>
inline half4 __builtin_ipu_f8v8hihov4amp(Eight x, half4 partials, unsigned immediate) {
  return poplar::encoding::WorkerAccumulators::ours().matrix<half4>(0x5b402940u | (immediate & 63),
                                                                    x, partials);
}
template <typename Eight>
inline half4 __builtin_ipu_f8v8hihov4slic(Eight x, half4 partials, unsigned immediate) {
  return poplar::encoding::WorkerAccumulators::ours().matrix<half4>(0x5b402a40u | (immediate & 63),
                                                                    x, partials);
}
#endif

/// Packs three tile addresses for instructions such as ld2x64pace.
/// \returns the same pair of words as the instruction `tapack`
inline uint2 __builtin_ipu_tapack(const volatile void *a0, const volatile void *a1,
                                  const volatile void *a2) {
  constexpr unsigned kAddress = (1u << 21) - 1;
  const unsigned low = static_cast<unsigned>(reinterpret_cast<unsigned long>(a0)) & kAddress;
  const unsigned high = static_cast<unsigned>(reinterpret_cast<unsigned long>(a1)) & kAddress;
  const unsigned third = static_cast<unsigned>(reinterpret_cast<unsigned long>(a2)) & kAddress;
  return uint2{third << 21 | low, (third >> 11) << 21 | high};
}

// Bits and bytes.
///@{

/// Executes the instruction that the name contains on bits and bytes of words.
inline unsigned __builtin_ipu_shuf8x8lo(unsigned x, unsigned y) {
  return (x & 0xFF) | (y & 0xFF) << 8 | (x & 0xFF00) << 8 | (y & 0xFF00) << 16;
}
inline unsigned __builtin_ipu_shuf8x8hi(unsigned x, unsigned y) {
  return __builtin_ipu_shuf8x8lo(x >> 16, y >> 16);
}
inline unsigned __builtin_ipu_roll16(unsigned x, unsigned y) { return x >> 16 | y << 16; }
inline unsigned __builtin_ipu_sort4x16lo(unsigned x, unsigned y) { return (x & 0xFFFF) | y << 16; }
inline unsigned __builtin_ipu_sort4x16hi(unsigned x, unsigned y) {
  return x >> 16 | (y & 0xFFFF0000);
}
inline unsigned __builtin_ipu_roll8l(unsigned x, unsigned y) { return x >> 24 | y << 8; }
inline unsigned __builtin_ipu_roll8r(unsigned x, unsigned y) { return x >> 8 | y << 24; }
inline unsigned __builtin_ipu_sort8x8lo(unsigned x, unsigned y) {
  return (x & 0xFF) | (x >> 8 & 0xFF00) | (y & 0xFF) << 16 | (y << 8 & 0xFF000000);
}
inline unsigned __builtin_ipu_sort8x8hi(unsigned x, unsigned y) {
  return __builtin_ipu_sort8x8lo(x >> 8, y >> 8);
}
inline unsigned __builtin_ipu_sort8(unsigned x) {
  return (x & 0xFF0000FF) | (x >> 8 & 0xFF00) | (x & 0xFF00) << 8;
}
inline unsigned __builtin_ipu_swap8(unsigned x) {
  return (x >> 8 & 0x00FF00FF) | (x & 0x00FF00FF) << 8;
}
inline unsigned __builtin_ipu_bitrev8(unsigned x) {
  x = (x >> 4 & 0x0F0F0F0F) | (x & 0x0F0F0F0F) << 4;
  x = (x >> 2 & 0x33333333) | (x & 0x33333333) << 2;
  return (x >> 1 & 0x55555555) | (x & 0x55555555) << 1;
}
inline unsigned __builtin_ipu_popc(unsigned x) {
  return static_cast<unsigned>(__builtin_popcount(x));
}
inline unsigned __builtin_ipu_clz(unsigned x) {
  return x == 0 ? 32 : static_cast<unsigned>(__builtin_clz(x));
}
///@}

/// Returns the number of bits below the sign that are the same as the sign.
inline unsigned __builtin_ipu_cms(unsigned x) {
  const unsigned rest = (x ^ (x << 1)) & ~1u;
  return rest == 0 ? 31 : static_cast<unsigned>(__builtin_clz(rest));
}
/// Returns the bits of \p x that are clear in \p y.
inline float __builtin_ipu_andc_f32(float x, float y) {
  return poplar::encoding::withoutBits(x, y);
}

#ifdef __IPU_ARCH_VERSION__
/// Returns the address of the state of the vertex that runs.
inline void *__builtin_ipu_get_vertex_base() {
  void *base;
  asm volatile("mov %0, $mvertex_base" : "=r"(base));
  return base;
}
inline void *__builtin_colossus_get_vertex_base() { return __builtin_ipu_get_vertex_base(); }

// Builtins of the supervisor, for a SupervisorVertex only. `entry` has the address of a codelet, as
// setzi loads it. `words` and `zone` must be constants.
/// Starts the next free worker. Its vertex state is \p state bytes and \p words words after the
/// beginning of tile memory.
#define __builtin_ipu_run(entry, state, words)                                                     \
  asm volatile("run %0, %1, %2" : : "r"(entry), "r"(state), "i"(words) : "memory")
/// Starts all workers. The vertex state of the first is at address \p state, and the states of
/// adjacent workers are \p words words apart.
#define __builtin_ipu_runall(entry, state, words)                                                  \
  asm volatile("runall %0, %1, %2" : : "r"(entry), "r"(state), "i"(words) : "memory")
/// Waits for the workers (TEXCH_SYNCZONE_LOCAL).
#define __builtin_ipu_sync(zone) asm volatile("sync %0" : : "i"(zone) : "memory")
#endif

#include "poplar/TileInstructions.hpp"
