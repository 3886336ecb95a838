#pragma once

#include <poplar/Vertex.hpp>

namespace poplin {

/// Multiplies small matrices as fast as the host can. What a tile's units do in one pass is done
/// here for a strip of output channels and some rows: their sums stay in registers.
namespace inner {

constexpr unsigned kLanes = 8;
constexpr unsigned kStrip = 16;  ///< output channels at once
constexpr unsigned kDepth = 256; ///< input channels at once
constexpr unsigned kRows = 6;    ///< pixels at once
/// Input channels of kernel elements for which inputs or weights are set in order at once.
constexpr unsigned kInOrder = 512;
constexpr unsigned kTaps = 64; ///< kernel elements at once

typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));

/// A kernel element: how far its weights, and the inputs that it meets, are from those of the first one
/// [floats].
struct Tap {
  std::ptrdiff_t weights, input;
};

/// The weights of a strip of output channels: a row for each input channel of each tap.
struct Strip {
  const float *rows;
  std::ptrdiff_t stride; ///< from one input channel's row to the next [floats]
};

/// sums[r][c] += sum over taps t and k of rows[r][t.input + k] * strip.rows[t.weights + k * stride + c],
/// for Rows rows and kStrip channels.
/// \param fresh  the sums start at 0, whatever stands there
template <unsigned Rows>
__attribute__((always_inline)) inline void addProducts(float *const *sums, const float *const *rows,
                                                       const Tap *taps, unsigned numTaps,
                                                       Strip strip, unsigned depth, bool fresh) {
#pragma clang fp contract(fast)
  Lanes low[Rows], high[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    low[r] = fresh ? Lanes{} : *reinterpret_cast<const Lanes *>(sums[r]);
    high[r] = fresh ? Lanes{} : *reinterpret_cast<const Lanes *>(sums[r] + kLanes);
  }
  for (unsigned t = 0; t < numTaps; ++t) {
    const float *weights = strip.rows + taps[t].weights;
    const std::ptrdiff_t begin = taps[t].input, end = begin + static_cast<std::ptrdiff_t>(depth);
    for (std::ptrdiff_t k = begin; k < end; ++k, weights += strip.stride) {
      const Lanes first = *reinterpret_cast<const Lanes *>(weights);
      const Lanes second = *reinterpret_cast<const Lanes *>(weights + kLanes);
#pragma unroll
      for (unsigned r = 0; r < Rows; ++r) {
        const float x = rows[r][k];
        low[r] = low[r] + first * x;
        high[r] = high[r] + second * x;
      }
    }
  }
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    *reinterpret_cast<Lanes *>(sums[r]) = low[r];
    *reinterpret_cast<Lanes *>(sums[r] + kLanes) = high[r];
  }
}

__attribute__((noinline)) inline void addProducts(unsigned numRows, float *const *sums,
                                                  const float *const *rows, const Tap *taps,
                                                  unsigned numTaps, Strip strip, unsigned depth,
                                                  bool fresh) {
  switch (numRows) {
  case 1:
    return addProducts<1>(sums, rows, taps, numTaps, strip, depth, fresh);
  case 2:
    return addProducts<2>(sums, rows, taps, numTaps, strip, depth, fresh);
  case 3:
    return addProducts<3>(sums, rows, taps, numTaps, strip, depth, fresh);
  case 4:
    return addProducts<4>(sums, rows, taps, numTaps, strip, depth, fresh);
  case 5:
    return addProducts<5>(sums, rows, taps, numTaps, strip, depth, fresh);
  default:
    return addProducts<6>(sums, rows, taps, numTaps, strip, depth, fresh);
  }
}

/// As floats, one after the other.
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

__attribute__((always_inline)) inline Lanes lanes(const float *from) {
  return *reinterpret_cast<const Lanes *>(from);
}
template <typename T> __attribute__((always_inline)) inline Lanes lanes(const T *from) {
  Lanes all;
#pragma unroll
  for (unsigned i = 0; i < kLanes; ++i)
    all[i] = static_cast<float>(from[i]);
  return all;
}

} // namespace inner
} // namespace poplin
