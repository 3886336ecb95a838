// Pooling and its gradients. The workers of a tile share the pixels that a vertex writes.
#include "worker_part.hpp"

#include <limits>
#include <poplar/Vertex.hpp>

using namespace poplar;

namespace popnn {

/// The field of a block: for each pixel that is written, the box of pixels that it meets.
///
/// `field` has, for each dimension, the pixels that are written, the pixels that are read, and then
/// for each written one the begin and the end of what it meets. Pixels are counted row-major.
class Boxes {
public:
  static constexpr unsigned kMostDims = 8;

  Boxes(const unsigned *field, unsigned dims) : dims_(dims) {
    for (unsigned d = 0; d < dims; ++d) {
      written_[d] = field[0];
      read_[d] = field[1];
      ranges_[d] = field + 2;
      field += 2 + 2 * field[0];
    }
  }

  unsigned written() const { return product(written_); }
  unsigned read() const { return product(read_); }

  /// Calls f(pixel) for each pixel that pixel \p index meets. \returns how many these are
  template <typename F> unsigned forAll(unsigned index, const F &f) const {
    unsigned begin[kMostDims], end[kMostDims], at[kMostDims], count = 1;
    for (unsigned d = dims_; d-- > 0; index /= written_[d]) {
      const unsigned *const range = ranges_[d] + 2 * (index % written_[d]);
      begin[d] = at[d] = range[0];
      end[d] = range[1];
      count *= range[1] - range[0];
    }
    for (unsigned i = 0; i < count; ++i) {
      unsigned pixel = 0;
      for (unsigned d = 0; d < dims_; ++d)
        pixel = pixel * read_[d] + at[d];
      f(pixel);
      for (unsigned d = dims_; d-- > 0;) {
        if (++at[d] < end[d])
          break;
        at[d] = begin[d];
      }
    }
    return count;
  }

private:
  unsigned product(const unsigned *sizes) const {
    unsigned n = 1;
    for (unsigned d = 0; d < dims_; ++d)
      n *= sizes[d];
    return n;
  }
  unsigned dims_, written_[kMostDims], read_[kMostDims];
  const unsigned *ranges_[kMostDims];
};

enum PoolKind : unsigned { kMax, kAverage, kSum };

/// out[item][pixel][channel] of what in[item][pixel][channel] has in a box. Strides of the input
/// are given, as it may have its channels outermost.
template <typename T> class Pool : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Output<Vector<T, VectorLayout::SPAN, 8>> out;
  Vector<unsigned> field;
  unsigned dims;
  unsigned kind;
  unsigned items;
  unsigned channels;
  unsigned itemStride, pixelStride, channelStride; ///< strides of the input

  bool compute(unsigned worker) {
    const Boxes boxes(&field[0], dims);
    const unsigned pixels = boxes.written();
    const poplibs::WorkerPart part(items * pixels, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(channels * sizeof(T)));
    for (unsigned i = part.begin; i < part.end; ++i)
      for (unsigned c = 0; c < channels; c += kAtOnce)
        computePixel(boxes, i, i / pixels, i % pixels, c);
    return true;
  }

private:
  static constexpr unsigned kAtOnce = 64;

  void computePixel(const Boxes &boxes, unsigned to, unsigned item, unsigned pixel,
                    unsigned first) {
    const unsigned n = channels - first < kAtOnce ? channels - first : kAtOnce;
    const float start = kind == kMax ? -std::numeric_limits<float>::infinity() : 0.0f;
    float results[kAtOnce];
    for (unsigned c = 0; c < n; ++c)
      results[c] = start;
    const T *const from = &in[item * itemStride + first * channelStride];
    const unsigned count = boxes.forAll(pixel, [&](unsigned p) {
      const T *const x = from + p * pixelStride;
      for (unsigned c = 0; c < n; ++c) {
        const float value = static_cast<float>(x[c * channelStride]);
        results[c] = kind != kMax                           ? results[c] + value
                     : value > results[c] || value != value ? value
                                                            : results[c];
      }
    });
    const float scale = kind == kAverage && count != 0 ? 1.0f / static_cast<float>(count) : 1.0f;
    T *const result = &out[to * channels + first];
    for (unsigned c = 0; c < n; ++c)
      result[c] = static_cast<T>(count == 0 ? 0.0f : results[c] * scale);
  }
};
template class Pool<float>;
template class Pool<half>;

/// inGradient[item][pixel][channel]: the sum of the gradients of the windows that meet the pixel,
/// each times a weight of its window, or, for MAX, of those whose result the input equals. All have
/// items outermost and channels innermost.
template <typename T> class PoolGradient : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;     ///< for MAX
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> pooled; ///< for MAX
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> gradient;
  Output<Vector<T, VectorLayout::SPAN, 8>> inGradient;
  Vector<unsigned> field;
  Vector<float> weights; ///< weights of windows, if they are weighted
  bool weighted;
  unsigned dims;
  bool max;
  unsigned items;
  unsigned channels;

  bool compute(unsigned worker) {
    const Boxes boxes(&field[0], dims);
    const unsigned pixels = boxes.written(), windows = boxes.read();
    const poplibs::WorkerPart part(items * pixels, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(channels * sizeof(T)));
    for (unsigned i = part.begin; i < part.end; ++i)
      for (unsigned c = 0; c < channels; ++c) {
        float sum = 0;
        boxes.forAll(i % pixels, [&](unsigned window) {
          const unsigned at = (i / pixels * windows + window) * channels + c;
          if (!max || in[i * channels + c] == pooled[at])
            sum += static_cast<float>(gradient[at]) * (weighted ? weights[window] : 1.0f);
        });
        inGradient[i * channels + c] = static_cast<T>(sum);
      }
    return true;
  }
};
template class PoolGradient<float>;
template class PoolGradient<half>;

/// gradient / number of elements of the window that equal its maximum. Layouts as above.
template <typename T> class ShareMaxGradient : public MultiVertex {
public:
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> pooled;
  Input<Vector<T, VectorLayout::ONE_PTR, 8>> gradient;
  Output<Vector<T, VectorLayout::SPAN, 8>> out;
  Vector<unsigned> field;
  unsigned dims;
  unsigned items;
  unsigned channels;

  bool compute(unsigned worker) {
    const Boxes boxes(&field[0], dims);
    const unsigned windows = boxes.written(), pixels = boxes.read();
    const poplibs::WorkerPart part(items * windows, worker, numWorkers(),
                                   poplibs::rowsOfWholeWords(channels * sizeof(T)));
    for (unsigned i = part.begin; i < part.end; ++i)
      for (unsigned c = 0; c < channels; ++c) {
        const unsigned at = i * channels + c;
        unsigned equal = 0;
        boxes.forAll(i % windows, [&](unsigned p) {
          equal += in[(i / windows * pixels + p) * channels + c] == pooled[at];
        });
        out[at] = static_cast<T>(static_cast<float>(gradient[at]) /
                                 static_cast<float>(equal == 0 ? 1 : equal));
      }
    return true;
  }
};
template class ShareMaxGradient<float>;
template class ShareMaxGradient<half>;

} // namespace popnn
