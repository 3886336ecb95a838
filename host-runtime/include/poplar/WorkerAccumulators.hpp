#pragma once

#include "poplar/VectorTypes.hpp"

#pragma GCC system_header

// Set by what runs the codelet. The word is the tile's own for an instruction with $a0 as
// destination, $a2 as input and $a4 as partials; the other a WorkerAccumulators.
extern "C"
    __attribute__((visibility("default"))) void (*__copseMatrix)(unsigned word, void *accumulators);

namespace poplar {
namespace encoding {

/// Holds the state of the accumulating instructions of one worker, for native code: the
/// accumulators, and $TAS. Each product is rounded to float, then each sum. Native vertices run
/// whole, one after another, on one thread: so the state is one for each thread.
struct WorkerAccumulators {
  // The emulator of the tile knows this layout.
  float working[16]; ///< A[0], A[2] ... of both sets
  float delayed[16]; ///< A[1], A[3] ...
  float scale;
  unsigned input[2], partials[2], result[2]; ///< operands of matrix()

  static WorkerAccumulators &ours();
  void clear() {
    for (int i = 0; i < 16; ++i)
      working[i] = delayed[i] = 0.0f;
  }
  /// D = {A[0], A[2]}, then A[0], A[2] = scale * x + y.
  float2 axpy(float2 x, float2 y) {
    const float2 before = {working[0], working[1]};
    for (int i = 0; i < 2; ++i)
      working[i] = scale * x[i] + y[i];
    return before;
  }
  void multiplyAdd(float2 x, float2 y) {
    for (int i = 0; i < 2; ++i)
      working[i] += x[i] * y[i];
  }
  /// A[0], A[2], A[4], A[6] += x[0] * y[0], x[1] * y[0], x[0] * y[1], x[1] * y[1]
  void outerProduct(float2 x, float2 y) {
    for (int i = 0; i < 4; ++i)
      working[i] += x[i % 2] * y[i / 2];
  }
  /// D = {A[0], A[2]}; all others of the set move down by two; {A[12], A[14]} = \p in. Bit 0 of
  /// \p immediate: of the odd ones; bit 1: of the second set.
  float2 shift(float2 in, unsigned immediate) {
    float *const chain = ((immediate & 1) ? delayed : working) + ((immediate & 2) ? 8 : 0);
    const float2 out = {chain[0], chain[1]};
    for (int i = 0; i < 6; ++i)
      chain[i] = chain[i + 2];
    chain[6] = in[0];
    chain[7] = in[1];
    return out;
  }
  /// An instruction of the matrix unit, by the tile's own arithmetic.
  template <class Result, class Input, class Partials>
  Result matrix(unsigned word, Input x, Partials p) {
    static_assert(sizeof x <= sizeof input && sizeof p <= sizeof partials, "one pair of registers");
    __builtin_memcpy(input, &x, sizeof x);
    __builtin_memcpy(partials, &p, sizeof p);
    __copseMatrix(word, this);
    Result r;
    __builtin_memcpy(&r, result, sizeof r);
    return r;
  }
};

} // namespace encoding
} // namespace poplar

/// Under a name that inline assembly knows, too.
extern "C" {
inline thread_local poplar::encoding::WorkerAccumulators __copseAccumulators;
}
inline poplar::encoding::WorkerAccumulators &poplar::encoding::WorkerAccumulators::ours() {
  return __copseAccumulators;
}
