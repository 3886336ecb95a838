#pragma once

#include <poplar/Vertex.hpp>

namespace poplin {

/// Multiplies small matrices as fast as the host can. What a tile's units do in one pass is done
/// here for a strip of output channels and some rows: their sums stay in registers.
namespace inner {

constexpr unsigned kStrip = 16;  ///< output channels at once
constexpr unsigned kDepth = 256; ///< input channels at once
/// Input channels of kernel elements for which inputs or weights are set in order at once.
constexpr unsigned kInOrder = 512;
constexpr unsigned kTaps = 64; ///< kernel elements at once
/// Pixels at once: enough sums to hide the latency of a multiply-add, and few enough for the
/// registers of the host's level. The bits do not depend on it, nor do modelled cycles, which these
/// vertices have from an estimate.
#ifdef __AVX512F__
constexpr unsigned kRows = 10;
#else
constexpr unsigned kRows = 6;
#endif

/// A strip's channels; two registers on hosts without registers of 512 bits.
typedef float Lanes __attribute__((vector_size(sizeof(float) * kStrip), aligned(4), may_alias));

/// Without it, clang divides vectors of 512 bits on processors that may run slower with them.
#define COPSE_WIDE __attribute__((min_vector_width(512)))

/// Products that follow each other in memory, as of the channels of a kernel element.
struct Run {
  std::ptrdiff_t weights, input; ///< where the first ones are [floats]
  unsigned count;
};

/// The weights of a strip of output channels: a row for each product.
struct Strip {
  const float *rows;
  std::ptrdiff_t stride; ///< from one product's row to the next [floats]
};

/// sums[r][c] += sum over runs and i of rows[r][run.input + i * step] * strip.rows[run.weights + i
/// * stride + c], for Rows rows and kStrip channels.
/// \param step  from a product's input to the next one's [floats]
/// \param fresh  the sums start at 0, whatever stands there
/// \tparam Dense  step is 1: with a distance that the compiler knows, a product takes a quarter
///   less time
template <unsigned Rows, bool Dense>
COPSE_WIDE __attribute__((always_inline)) inline void
addProducts(float *const *sums, const float *const *rows, const Run *runs, unsigned numRuns,
            Strip strip, std::ptrdiff_t step, bool fresh) {
#pragma clang fp contract(fast)
  Lanes all[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r)
    all[r] = fresh ? Lanes{} : *reinterpret_cast<const Lanes *>(sums[r]);
  for (unsigned t = 0; t < numRuns; ++t) {
    const float *weights = strip.rows + runs[t].weights;
    std::ptrdiff_t k = runs[t].input;
#pragma unroll 2
    for (unsigned n = runs[t].count; n != 0; --n, weights += strip.stride, k += Dense ? 1 : step) {
      const Lanes w = *reinterpret_cast<const Lanes *>(weights);
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r)
        all[r] = all[r] + w * rows[r][k];
    }
  }
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r)
    *reinterpret_cast<Lanes *>(sums[r]) = all[r];
}

template <bool Dense>
COPSE_WIDE __attribute__((noinline)) inline void
addProducts(unsigned numRows, float *const *sums, const float *const *rows, const Run *runs,
            unsigned numRuns, Strip strip, std::ptrdiff_t step, bool fresh) {
  switch (numRows) {
  case 1:
    return addProducts<1, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 2:
    return addProducts<2, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 3:
    return addProducts<3, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 4:
    return addProducts<4, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 5:
    return addProducts<5, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
#ifdef __AVX512F__
  case 6:
    return addProducts<6, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 7:
    return addProducts<7, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 8:
    return addProducts<8, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  case 9:
    return addProducts<9, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
#endif
  default:
    return addProducts<kRows, Dense>(sums, rows, runs, numRuns, strip, step, fresh);
  }
}

COPSE_WIDE __attribute__((always_inline)) inline void
addProducts(unsigned numRows, float *const *sums, const float *const *rows, const Run *runs,
            unsigned numRuns, Strip strip, std::ptrdiff_t step, bool fresh) {
  if (step == 1)
    addProducts<true>(numRows, sums, rows, runs, numRuns, strip, 1, fresh);
  else
    addProducts<false>(numRows, sums, rows, runs, numRuns, strip, step, fresh);
}

/// Tells the host's processor of bytes that are read (\p Write 0) or written (1) soon: it fetches
/// them together, where loads would wait for one line after the other.
template <int Write>
__attribute__((always_inline)) inline void announce(const void *begin, std::size_t bytes) {
  constexpr std::size_t kLine = 64, kMost = 16384; // beyond kMost, the host prefetches by itself
  const char *const at = static_cast<const char *>(begin);
  const std::size_t n = bytes < kMost ? bytes : kMost;
  for (std::size_t line = 0; line < n; line += kLine)
    __builtin_prefetch(at + line, Write);
}

/// Copies elements as floats, one after the other.
template <typename T>
__attribute__((always_inline)) inline void gather(float *to, const T *from, int stride,
                                                  unsigned n) {
  if (stride == 1) {
    for (unsigned i = 0; i < n; ++i)
      to[i] = static_cast<float>(from[i]);
    return;
  }
  for (unsigned i = 0; i < n; ++i)
    to[i] = static_cast<float>(from[static_cast<int>(i) * stride]);
}

/// Adds the next kStrip elements, as floats. By reference: to return vectors that the host's level
/// has not would be a warning.
COPSE_WIDE __attribute__((always_inline)) inline void addTo(Lanes &sum, const float *from) {
  sum += *reinterpret_cast<const Lanes *>(from);
}
template <typename T>
COPSE_WIDE __attribute__((always_inline)) inline void addTo(Lanes &sum, const T *from) {
#pragma unroll
  for (unsigned i = 0; i < kStrip; ++i)
    sum[i] += static_cast<float>(from[i]);
}

} // namespace inner
} // namespace poplin
