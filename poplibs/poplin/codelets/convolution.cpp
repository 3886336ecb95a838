// Partial sums of convolutions and matrix products, and their sums.
#include "inner_products.hpp"

using namespace poplar;

namespace poplin {

/// out[g][pixel][o] = sum over kernel elements k and input channels c of
///   in[g][pixel met by k][c] * weights[g][k][c][o]
///
/// `work` says which pixels meet: for each run of pixels six numbers, the kernel element, the first
/// output pixel and the step between them, the first input pixel and the step, and how many.
/// Runs of one kernel element stand together. The workers share the output channels.
template <typename In, typename Partial> class InnerProducts : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> weights;
  Output<Vector<Partial, VectorLayout::ONE_PTR, 16>> out;
  Vector<int> work;
  Vector<int> strides; ///< in: group, pixel, channel; weights: group, kernel element, in, out
  unsigned groups;
  unsigned pixels;
  unsigned depth; ///< input channels
  unsigned width; ///< output channels

  bool compute(unsigned worker) {
    const unsigned strips = (width + inner::kStrip - 1) / inner::kStrip;
    for (unsigned unit = worker; unit < groups * strips; unit += numWorkers())
      computeStrip(unit / strips, unit % strips * inner::kStrip);
    return true;
  }

private:
  void computeStrip(unsigned group, unsigned first) {
    const unsigned channels = width - first < inner::kStrip ? width - first : inner::kStrip;
    Partial *const sums = &out[static_cast<std::size_t>(group) * pixels * width + first];
    // A single run that meets every pixel needs no zeros to begin with.
    const bool meetsAll = work.size() == 6 && work[5] == static_cast<int>(pixels) && depth != 0;
    for (unsigned p = 0; !meetsAll && p < pixels; ++p)
      for (unsigned c = 0; c < channels; ++c)
        sums[static_cast<std::size_t>(p) * width + c] = Partial(0);
    const In *const weightsOfGroup = &weights[0] + static_cast<std::ptrdiff_t>(group) * strides[3] +
                                     static_cast<std::ptrdiff_t>(first) * strides[6];
    const In *const inOfGroup = &in[0] + static_cast<std::ptrdiff_t>(group) * strides[0];
    alignas(32) float strip[inner::kDepth * inner::kStrip];
    for (unsigned begin = 0; begin < depth; begin += inner::kDepth) {
      const unsigned n = depth - begin < inner::kDepth ? depth - begin : inner::kDepth;
      int packed = -1;
      for (unsigned w = 0; w + 6 <= work.size(); w += 6) {
        if (work[w] != packed) {
          packed = work[w];
          pack(strip,
               weightsOfGroup + static_cast<std::ptrdiff_t>(packed) * strides[4] +
                   static_cast<std::ptrdiff_t>(begin) * strides[5],
               n, channels);
        }
        multiply(sums, inOfGroup + static_cast<std::ptrdiff_t>(begin) * strides[2], strip, n,
                 channels, w, meetsAll && begin == 0);
      }
    }
  }

  /// A strip of weights, zeros where it is not full.
  void pack(float *strip, const In *from, unsigned n, unsigned channels) {
    for (unsigned k = 0; k < n; ++k) {
      const In *const row = from + static_cast<std::ptrdiff_t>(k) * strides[5];
      float *const to = strip + k * inner::kStrip;
      if (strides[6] == 1 && channels == inner::kStrip) {
        inner::gather(to, row, 1, inner::kStrip);
        continue;
      }
      for (unsigned c = 0; c < channels; ++c)
        to[c] = static_cast<float>(row[static_cast<int>(c) * strides[6]]);
      for (unsigned c = channels; c < inner::kStrip; ++c)
        to[c] = 0;
    }
  }

  /// \param w      where the run stands in `work`
  /// \param fresh  the sums start at 0
  void multiply(Partial *sums, const In *inputs, const float *strip, unsigned n, unsigned channels,
                unsigned w, bool fresh) {
    const inner::Step to{work[w + 1], work[w + 2]}, from{work[w + 3], work[w + 4]};
    const int count = work[w + 5];
    float room[inner::kRows][inner::kDepth];
    alignas(32) float aside[inner::kRows][inner::kStrip];
    const float *rows[inner::kRows];
    float *results[inner::kRows];
    const bool direct = std::is_same<Partial, float>::value && channels == inner::kStrip;
    for (int i = 0; i < count; i += inner::kRows) {
      const unsigned m = count - i < static_cast<int>(inner::kRows)
                             ? static_cast<unsigned>(count - i)
                             : inner::kRows;
      for (unsigned r = 0; r < m; ++r) {
        const int pixel = i + static_cast<int>(r);
        rows[r] = inner::asFloats(room[r],
                                  inputs + static_cast<std::ptrdiff_t>(from.at(pixel)) * strides[1],
                                  strides[2], n);
        Partial *const result = sums + static_cast<std::size_t>(to.at(pixel)) * width;
        results[r] = direct ? reinterpret_cast<float *>(result) : aside[r];
        if (!direct)
          for (unsigned c = 0; c < inner::kStrip; ++c)
            aside[r][c] = c < channels && !fresh ? static_cast<float>(result[c]) : 0.0f;
      }
      inner::addProducts(m, results, rows, strip, n, fresh);
      for (unsigned r = 0; !direct && r < m; ++r) {
        Partial *const result =
            sums + static_cast<std::size_t>(to.at(i + static_cast<int>(r))) * width;
        for (unsigned c = 0; c < channels; ++c)
          result[c] = static_cast<Partial>(aside[r][c]);
      }
    }
  }
};

template class InnerProducts<float, float>;
template class InnerProducts<half, float>;
template class InnerProducts<half, half>;

/// out[i] = sum of all partials' [i]. The workers share the elements.
template <typename Partial, typename Out> class SumPartials : public MultiVertex {
public:
  Vector<Input<Vector<Partial, VectorLayout::ONE_PTR, 8>>> partials;
  Output<Vector<Out, VectorLayout::SPAN, 8>> out;

  bool compute(unsigned worker) {
    constexpr unsigned kAtOnce = 64;
    const unsigned n = out.size();
    float sums[kAtOnce];
    for (unsigned begin = worker * kAtOnce; begin < n; begin += numWorkers() * kAtOnce) {
      const unsigned m = n - begin < kAtOnce ? n - begin : kAtOnce;
      for (unsigned i = 0; i < m; ++i)
        sums[i] = 0;
      for (unsigned p = 0; p < partials.size(); ++p) {
        const Partial *const from = &partials[p][begin];
        for (unsigned i = 0; i < m; ++i)
          sums[i] += static_cast<float>(from[i]);
      }
      for (unsigned i = 0; i < m; ++i)
        out[begin + i] = static_cast<Out>(sums[i]);
    }
    return true;
  }
};

template class SumPartials<float, float>;
template class SumPartials<float, half>;
template class SumPartials<half, float>;
template class SumPartials<half, half>;

} // namespace poplin
