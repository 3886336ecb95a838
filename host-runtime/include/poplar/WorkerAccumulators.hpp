#pragma once

#include "poplar/VectorTypes.hpp"

#pragma GCC system_header

// Executes an instruction of the matrix unit; the emulator sets this pointer. `word` encodes the
// instruction with $a0 as destination, $a2 as input and $a4 as partials. `accumulators` points to a
// WorkerAccumulators.
extern "C"
    __attribute__((visibility("default"))) void (*__copseMatrix)(unsigned word, void *accumulators);

namespace poplar {
namespace encoding {

/// Holds the state of the accumulating instructions of one worker, for native code: the
/// accumulators, and $TAS. Each product is rounded to float, then each sum. Native vertices run to
/// their ends, one after another, on one thread, so each thread has one such state.
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
  /// Sets A[0], A[2] to scale * x + y.
  /// \returns the values before, {A[0], A[2]}
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
  /// Adds x[0] * y[0], x[1] * y[0], x[0] * y[1], x[1] * y[1] to A[0], A[2], A[4], A[6].
  void outerProduct(float2 x, float2 y) {
    for (int i = 0; i < 4; ++i)
      working[i] += x[i % 2] * y[i / 2];
  }
  /// Moves the accumulators of a set down by two, and sets {A[12], A[14]} to \p in.
  /// \param immediate  bit 0: move the odd accumulators; bit 1: those of the second set
  /// \returns the values before, {A[0], A[2]}
  float2 shift(float2 in, unsigned immediate) {
    float *const chain = ((immediate & 1) ? delayed : working) + ((immediate & 2) ? 8 : 0);
    const float2 out = {chain[0], chain[1]};
    for (int i = 0; i < 6; ++i)
      chain[i] = chain[i + 2];
    chain[6] = in[0];
    chain[7] = in[1];
    return out;
  }
  /// Executes an instruction of the matrix unit with the tile's arithmetic.
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

/// The name is one to which inline assembly can refer, too.
extern "C" {
inline thread_local poplar::encoding::WorkerAccumulators __copseAccumulators;
}
inline poplar::encoding::WorkerAccumulators &poplar::encoding::WorkerAccumulators::ours() {
  return __copseAccumulators;
}
