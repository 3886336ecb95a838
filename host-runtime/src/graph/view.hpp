#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::graph {

using VariableId = std::uint32_t;

/// `count` elements of a variable: begin, begin + stride, ... A contiguous piece has stride 1; one
/// element has stride 1 as well; a broadcast element has stride 0.
struct Run {
  VariableId variable = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::int64_t stride = 1;
  friend bool operator==(const Run &, const Run &) = default;
};

/// What a tensor refers to: a shape, and for each position in row-major order an element of a
/// variable. Immutable.
///
/// Representation: positions are a strided box (offset and one stride per dimension, as in NumPy)
/// over a `Buffer`, a row of runs. Slices, shuffles, broadcasts, reversals and most reshapes only
/// change the box; a concatenation or a reshape that no strides can express makes a new buffer out
/// of runs, never out of single elements where a run will do.
class View {
public:
  View() = default; ///< no elements, shape {0}
  static View ofVariable(VariableId variable, std::vector<std::size_t> shape);
  /// The elements of \p runs, in order; the product of \p shape is their number.
  static View ofRuns(std::vector<Run> runs, std::vector<std::size_t> shape);

  const std::vector<std::size_t> &shape() const { return shape_; }
  std::size_t numElements() const;

  // Arguments are checked by the caller (Tensor), which knows how to say what is wrong.
  View slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  View dropDimension(unsigned dimension) const; ///< of size 1
  View insertDimension(unsigned before) const;  ///< of size 1
  View dimShuffle(std::span<const unsigned> permutation) const;
  View reshape(std::vector<std::size_t> shape) const;
  View broadcast(std::size_t n, unsigned dimension) const;
  View subSample(std::size_t stride, unsigned dimension) const;
  View upsample(std::size_t scale, unsigned dimension) const;
  View reverse(unsigned dimension) const;
  static View concat(std::span<const View> views, unsigned dimension);

  /// All positions in row-major order, as the fewest runs that neighbours merge into.
  std::vector<Run> runs() const;

  /// Every element, but in the order (and as often) as gives few runs: for what does not depend on
  /// positions.
  std::vector<Run> elementRuns() const;

  /// The element at a position in row-major order, as a run of one.
  Run at(std::size_t position) const;

  /// All elements follow each other in one variable, or there are none.
  bool isContiguous() const;

  /// True if the strides alone prove that no element occurs twice; false says nothing.
  bool isPlainlyAliasFree() const;

  /// Same shape, and the same elements in the same order.
  friend bool operator==(const View &a, const View &b);

private:
  struct Buffer;
  struct Dim;
  std::vector<Dim> box(unsigned firstDimension = 0) const;
  std::int64_t positionOf(std::size_t index) const;
  bool extendBy(const View &next, unsigned dimension);
  static View concatOuter(std::span<const View> views, unsigned dimension,
                          std::vector<std::size_t> shape);
  static View concatInner(std::span<const View> views, unsigned dimension,
                          std::vector<std::size_t> shape);

  std::shared_ptr<const Buffer> buffer_;
  std::vector<std::size_t> shape_{0};
  std::vector<std::int64_t> strides_{1}; ///< in positions of the buffer
  std::int64_t offset_ = 0;
};

} // namespace copse::graph
