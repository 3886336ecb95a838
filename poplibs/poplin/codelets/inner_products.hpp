#pragma once

#include <poplar/Vertex.hpp>

namespace poplin {

/// Multiplies small matrices with the host's vector units. One call computes a strip of output
/// channels for several rows, as a tile's units do in one pass, and holds their sums in registers.
namespace inner {

constexpr unsigned kStrip = 16;  ///< output channels at once
constexpr unsigned kDepth = 256; ///< input channels at once
/// The number of input channels, over kernel elements, whose inputs or weights are copied into
/// contiguous memory at once.
constexpr unsigned kInOrder = 512;
constexpr unsigned kTaps = 64; ///< kernel elements at once
/// The number of pixels at once: enough sums to hide the latency of a multiply-add, and few enough
/// for the registers of the CPU level. Results do not depend on this number, nor do modelled
/// cycles, which come from an estimate.
#ifdef __AVX512F__
constexpr unsigned kRows = 10;
#else
constexpr unsigned kRows = 6;
#endif

/// One element for each channel of a strip. Takes two registers on hosts without registers of 512
/// bits.
typedef float Lanes __attribute__((vector_size(sizeof(float) * kStrip), aligned(4), may_alias));

/// Allows vectors of 512 bits. Without this attribute, clang splits them on processors that may run
/// slower with them.
#define COPSE_WIDE __attribute__((min_vector_width(512)))

/// Products whose operands follow each other in memory, such as the channels of a kernel element.
struct Run {
  std::ptrdiff_t weights, input; ///< offsets of the first operands [floats]
  unsigned count;
};

/// The weights of a strip of output channels: a row for each product.
struct Strip {
  const float *rows;
  std::ptrdiff_t stride; ///< from one product's row to the next [floats]
};

/// Computes sums[r][c] += sum over runs and i of rows[r][run.input + i * step] *
/// strip.rows[run.weights + i * stride + c], for Rows rows and kStrip channels.
/// \param step  from a product's input to the next one's [floats]
/// \param fresh  true: the sums start at 0; their old values are not read
/// \tparam Dense  true: step is 1. With a distance that the compiler knows, a product takes a
///   quarter less time
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

/// Prefetches bytes that will soon be read (\p Write 0) or written (1). The processor fetches their
/// cache lines at the same time, whereas loads would wait for one line after the other.
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

/// Adds the next kStrip elements, as floats. Takes the sum by reference, because compilers warn of
/// functions that return vectors which the CPU level does not have.
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
