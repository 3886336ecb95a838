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

typedef float Lanes __attribute__((vector_size(32), aligned(4), may_alias));

struct Step {
  int begin, by;
  __attribute__((always_inline)) int at(int i) const { return begin + i * by; }
};

/// sums[r][c] += sum over k of rows[r][k] * strip[k][c], for Rows rows and kStrip channels.
/// \param fresh  the sums start at 0, whatever stands there
template <unsigned Rows>
__attribute__((always_inline)) inline void addProducts(float *const *sums, const float *const *rows,
                                                       const float *strip, unsigned depth,
                                                       bool fresh) {
#pragma clang fp contract(fast)
  Lanes low[Rows], high[Rows];
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    low[r] = fresh ? Lanes{} : *reinterpret_cast<const Lanes *>(sums[r]);
    high[r] = fresh ? Lanes{} : *reinterpret_cast<const Lanes *>(sums[r] + kLanes);
  }
  for (unsigned k = 0; k < depth; ++k) {
    const Lanes first = *reinterpret_cast<const Lanes *>(strip + k * kStrip);
    const Lanes second = *reinterpret_cast<const Lanes *>(strip + k * kStrip + kLanes);
#pragma unroll
    for (unsigned r = 0; r < Rows; ++r) {
      const float x = rows[r][k];
      low[r] = low[r] + first * x;
      high[r] = high[r] + second * x;
    }
  }
#pragma unroll
  for (unsigned r = 0; r < Rows; ++r) {
    *reinterpret_cast<Lanes *>(sums[r]) = low[r];
    *reinterpret_cast<Lanes *>(sums[r] + kLanes) = high[r];
  }
}

__attribute__((noinline)) inline void addProducts(unsigned rows, float *const *sums,
                                                  const float *const *in, const float *strip,
                                                  unsigned depth, bool fresh) {
  switch (rows) {
  case 1:
    return addProducts<1>(sums, in, strip, depth, fresh);
  case 2:
    return addProducts<2>(sums, in, strip, depth, fresh);
  case 3:
    return addProducts<3>(sums, in, strip, depth, fresh);
  case 4:
    return addProducts<4>(sums, in, strip, depth, fresh);
  case 5:
    return addProducts<5>(sums, in, strip, depth, fresh);
  default:
    return addProducts<6>(sums, in, strip, depth, fresh);
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

template <typename T>
__attribute__((always_inline)) inline const float *asFloats(float *room, const T *from, int stride,
                                                            unsigned n) {
  gather(room, from, stride, n);
  return room;
}
__attribute__((always_inline)) inline const float *asFloats(float *room, const float *from,
                                                            int stride, unsigned n) {
  if (stride == 1)
    return from; // where they are
  gather<float>(room, from, stride, n);
  return room;
}

} // namespace inner
} // namespace poplin
