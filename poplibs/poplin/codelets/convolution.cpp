// Partial sums of convolutions and matrix products, and their sums.
#include "inner_products.hpp"

using namespace poplar;

namespace poplin {

/// out[g][pixel][o] = sum over kernel elements k and input channels c of
///   in[g][pixel met by k][c] * weights[g][k][c][o]
///
/// `classes` says which pixels meet (src/work_list.hpp). The workers share the output channels.
///
/// Products are added up in blocks of input channels, in a block by kernel element, and of one of
/// these by channel: the bits do not depend on how the operands lie in memory.
template <typename In, typename Partial> class InnerProducts : public MultiVertex {
public:
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> in;
  Input<Vector<In, VectorLayout::ONE_PTR, 8>> weights;
  Output<Vector<Partial, VectorLayout::ONE_PTR, 16>> out;
  Vector<int> classes;
  Vector<int> strides; ///< in: group, pixel, channel; weights: group, kernel element, in, out
  unsigned groups;
  unsigned pixels;
  unsigned depth; ///< input channels
  unsigned width; ///< output channels

  bool compute(unsigned worker) {
    if (worker == 0)
      announce();
    const unsigned strips = (width + inner::kStrip - 1) / inner::kStrip;
    for (unsigned unit = worker; unit < groups * strips; unit += numWorkers())
      computeStrip(unit / strips, unit % strips * inner::kStrip);
    return true;
  }

private:
  static constexpr bool kFloats = std::is_same<In, float>::value;

  /// The operands of one block of products.
  struct Block {
    const In *in, *weights; ///< operands of the group, from the block's first channel on
    Partial *sums;          ///< sums of the group's first pixel
    unsigned depth;         ///< input channels of the block
    unsigned channels;      ///< output channels of the strip
    bool fresh;             ///< the sums start at 0
  };
  /// Kernel elements as runs of products. Neighbouring elements often form one run.
  struct Taps {
    inner::Run runs[inner::kTaps];
    unsigned size = 0;
    inner::Strip strip;
    std::ptrdiff_t step; ///< from a product's input to the next one's

    void add(std::ptrdiff_t weights, std::ptrdiff_t input, unsigned count) {
      if (size != 0) {
        inner::Run &last = runs[size - 1];
        const auto n = static_cast<std::ptrdiff_t>(last.count);
        if (last.weights + n * strip.stride == weights && last.input + n * step == input) {
          last.count += count;
          return;
        }
      }
      runs[size++] = {weights, input, count};
    }
  };

  /// Prefetches this tile's data: the tiles of an IPU do not fit into the host's caches.
  void announce() {
    const auto bytes = [](int elements, std::size_t size) {
      return static_cast<std::size_t>(elements) * size;
    };
    inner::announce<0>(&weights[0], bytes(strides[3], sizeof(In)));
    inner::announce<0>(&in[0], bytes(strides[0], sizeof(In)));
    inner::announce<1>(&out[0], bytes(static_cast<int>(pixels * width), sizeof(Partial)));
  }

  void computeStrip(unsigned group, unsigned first) {
    Block block;
    block.channels = least(width - first, inner::kStrip);
    block.sums = &out[static_cast<std::size_t>(group) * pixels * width + first];
    block.weights = &weights[0] + static_cast<std::ptrdiff_t>(group) * strides[3] +
                    static_cast<std::ptrdiff_t>(first) * strides[6];
    block.in = &in[0] + static_cast<std::ptrdiff_t>(group) * strides[0];
    for (unsigned begin = 0; begin == 0 || begin < depth; begin += inner::kDepth) {
      block.depth = least(depth - begin, inner::kDepth);
      for (const int *c = &classes[0], *end = c + classes.size(); c != end;) {
        block.fresh = begin == 0;
        addClass(block, c);
        c += 2 + 2 * c[0] + 5 * c[1];
      }
      block.weights += static_cast<std::ptrdiff_t>(inner::kDepth) * strides[5];
      block.in += static_cast<std::ptrdiff_t>(inner::kDepth) * strides[2];
    }
  }

  /// Returns false for a strip that is read often and is not dense: such a strip is copied.
  bool stripInPlace(const Block &block) const {
    return kFloats && strides[6] == 1 && block.channels == inner::kStrip &&
           (strides[5] == static_cast<int>(inner::kStrip) || pixels <= 2 * inner::kRows);
  }

  /// \param numbers  numbers of one class, as in `classes`
  void addClass(Block &block, const int *numbers) {
    const auto numTaps = static_cast<unsigned>(numbers[0]);
    unsigned most = inner::kTaps;
    if ((!kFloats || !stripInPlace(block)) && block.depth != 0)
      most = least(most, inner::kInOrder / block.depth);
    unsigned begin = 0;
    do { // also for pixels that meet nothing
      const unsigned n = least(numTaps - begin, most);
      if (stripInPlace(block))
        addInPlace(block, numbers, begin, n);
      else
        addPacked(block, numbers, begin, n);
      block.fresh = false;
      begin += n;
    } while (begin < numTaps);
  }

  /// Adds \p n kernel elements of a class, from its element number \p begin on.
  void addInPlace(const Block &block, const int *numbers, unsigned begin, unsigned n) {
    Taps taps;
    taps.strip = {reinterpret_cast<const float *>(block.weights), strides[5]};
    taps.step = strides[2];
    const int *tap = numbers + 2 + 2 * begin;
    for (unsigned t = 0; t < n; ++t, tap += 2)
      taps.add(static_cast<std::ptrdiff_t>(tap[0]) * strides[4],
               static_cast<std::ptrdiff_t>(tap[1]) * strides[1], block.depth);
    addPixels(block, numbers + 2 + 2 * numbers[0], numbers[1], taps);
  }

  /// Adds the products with packed weights.
  void addPacked(const Block &block, const int *numbers, unsigned begin, unsigned n) {
    alignas(64) float packed[inner::kInOrder * inner::kStrip];
    Taps taps;
    taps.strip = {packed, inner::kStrip};
    taps.step = strides[2];
    const int *tap = numbers + 2 + 2 * begin;
    for (unsigned t = 0; t < n; ++t, tap += 2) {
      const auto at = static_cast<std::ptrdiff_t>(t * block.depth * inner::kStrip);
      pack(packed + at, block.weights + static_cast<std::ptrdiff_t>(tap[0]) * strides[4], block);
      taps.add(at, static_cast<std::ptrdiff_t>(tap[1]) * strides[1], block.depth);
    }
    addPixels(block, numbers + 2 + 2 * numbers[0], numbers[1], taps);
  }

  /// Writes the weights of a kernel element, dense, with zeros where the strip is not full.
  void pack(float *to, const In *from, const Block &block) {
    for (unsigned k = 0; k < block.depth; ++k, to += inner::kStrip) {
      const In *const row = from + static_cast<std::ptrdiff_t>(k) * strides[5];
      if (strides[6] == 1 && block.channels == inner::kStrip) {
        inner::gather(to, row, 1, inner::kStrip);
        continue;
      }
      for (unsigned c = 0; c < block.channels; ++c)
        to[c] = static_cast<float>(row[static_cast<int>(c) * strides[6]]);
      for (unsigned c = block.channels; c < inner::kStrip; ++c)
        to[c] = 0;
    }
  }

  void addPixels(const Block &block, const int *run, int runs, const Taps &taps) {
    Partial *to[inner::kRows];
    const In *from[inner::kRows];
    unsigned pixels = 0;
    for (int r = 0; r < runs; ++r)
      pixels += static_cast<unsigned>(run[5 * r + 4]);
    unsigned rows = 0, most = rowsOf(pixels);
    for (int r = 0; r < runs; ++r, run += 5) {
      Partial *sums = block.sums + static_cast<std::size_t>(run[0]) * width;
      const In *pixel = block.in + static_cast<std::ptrdiff_t>(run[2]) * strides[1];
      for (int i = 0; i < run[4]; ++i) {
        to[rows] = sums;
        from[rows] = pixel;
        if (++rows == most) {
          multiply(block, to, from, rows, taps);
          pixels -= rows;
          most = rowsOf(pixels);
          rows = 0;
        }
        sums += static_cast<std::ptrdiff_t>(run[1]) * static_cast<std::ptrdiff_t>(width);
        pixel += static_cast<std::ptrdiff_t>(run[3]) * strides[1];
      }
    }
  }

  /// Returns how many of the remaining pixels to process at once: a few take as long as many.
  static unsigned rowsOf(unsigned pixels) {
    const unsigned times = (pixels + inner::kRows - 1) / inner::kRows;
    return times == 0 ? 0 : (pixels + times - 1) / times;
  }

  /// \param to, from  pixels of output and input, shape [numRows]
  __attribute__((always_inline)) void multiply(const Block &block, Partial *const *to,
                                               const In *const *from, unsigned numRows,
                                               const Taps &taps) {
    if (std::is_same<Partial, float>::value && block.channels == inner::kStrip)
      multiplyRows(reinterpret_cast<float *const *>(to), from, numRows, taps, block.fresh);
    else
      multiplyAside(block, to, from, numRows, taps);
  }

  /// Sums that are no floats, or of less than a strip, are loaded before and stored after.
  void multiplyAside(const Block &block, Partial *const *to, const In *const *from,
                     unsigned numRows, const Taps &taps) {
    float *results[inner::kRows];
    alignas(64) float aside[inner::kRows][inner::kStrip];
    for (unsigned r = 0; r < numRows; ++r) {
      results[r] = aside[r];
      for (unsigned c = 0; c < inner::kStrip; ++c)
        aside[r][c] = c < block.channels && !block.fresh ? static_cast<float>(to[r][c]) : 0.0f;
    }
    multiplyRows(results, from, numRows, taps, block.fresh);
    for (unsigned r = 0; r < numRows; ++r)
      for (unsigned c = 0; c < block.channels; ++c)
        to[r][c] = static_cast<Partial>(aside[r][c]);
  }

  __attribute__((always_inline)) void multiplyRows(float *const *results, const In *const *from,
                                                   unsigned numRows, const Taps &taps, bool fresh) {
    if (kFloats)
      inner::addProducts(numRows, results, reinterpret_cast<const float *const *>(from), taps.runs,
                         taps.size, taps.strip, taps.step, fresh);
    else
      multiplyGathered(results, from, numRows, taps, fresh);
  }

  /// Multiplies inputs that are not floats.
  void multiplyGathered(float *const *results, const In *const *from, unsigned numRows,
                        const Taps &taps, bool fresh) {
    float room[inner::kRows][inner::kInOrder];
    const float *rows[inner::kRows];
    inner::Run dense[inner::kTaps];
    unsigned at = 0;
    for (unsigned t = 0; t < taps.size; ++t) {
      const inner::Run &run = taps.runs[t];
      dense[t] = {run.weights, static_cast<std::ptrdiff_t>(at), run.count};
      for (unsigned r = 0; r < numRows; ++r)
        inner::gather(room[r] + at, from[r] + run.input, strides[2], run.count);
      at += run.count;
    }
    for (unsigned r = 0; r < numRows; ++r)
      rows[r] = room[r];
    inner::addProducts(numRows, results, rows, dense, taps.size, taps.strip, 1, fresh);
  }

  static unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
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
    for (unsigned begin = worker * kAtOnce; begin < n; begin += numWorkers() * kAtOnce) {
      const unsigned end = n - begin < kAtOnce ? n : begin + kAtOnce;
      unsigned i = begin;
      if (i + kAtOnce == end) {
        sum<kAtOnce / inner::kStrip>(i);
        continue;
      }
      for (; i + inner::kStrip <= end; i += inner::kStrip)
        sum<1>(i);
      for (; i < end; ++i) {
        float all = 0;
        for (unsigned p = 0; p < partials.size(); ++p)
          all += static_cast<float>(partials[p][i]);
        out[i] = static_cast<Out>(all);
      }
    }
    return true;
  }

private:
  /// Keeps the sums of as many elements as fit in \p Vectors vectors stay in registers.
  template <unsigned Vectors> COPSE_WIDE __attribute__((always_inline)) void sum(unsigned begin) {
    inner::Lanes sums[Vectors] = {};
    for (unsigned p = 0; p < partials.size(); ++p) {
      const Partial *const from = &partials[p][begin];
#pragma unroll
      for (unsigned v = 0; v < Vectors; ++v)
        inner::addTo(sums[v], from + v * inner::kStrip);
    }
#pragma unroll
    for (unsigned v = 0; v < Vectors; ++v)
      for (unsigned i = 0; i < inner::kStrip; ++i)
        out[begin + v * inner::kStrip + i] = static_cast<Out>(sums[v][i]);
  }
};

template class SumPartials<float, float>;
template class SumPartials<float, half>;
template class SumPartials<half, float>;
template class SumPartials<half, half>;

} // namespace poplin
