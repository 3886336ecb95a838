#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace copse::graph {

using VariableId = std::uint32_t;

/// The variable of elements that a slice asked for beyond the end. A tensor that has some may be
/// viewed and counted; nothing that uses its elements ever sees them (Access::state).
inline constexpr VariableId kBeyondTheEnd = 0xFFFFFFFF;

/// The elements of a shape; 1 for a scalar.
std::size_t product(std::span<const std::size_t> sizes);

/// `count` elements of a variable: begin, begin + stride, ... A contiguous piece has stride 1; one
/// element has stride 1 as well; a broadcast element has stride 0.
struct Run {
  VariableId variable = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::int64_t stride = 1;
  friend bool operator==(const Run &, const Run &) = default;
};

/// An order of positions: those of a view that is seen in another shape, with some dimensions
/// reversed, and then shuffled.
struct BoxOrder {
  std::vector<std::size_t> shape;
  std::vector<unsigned> reversed; ///< dimensions
  std::vector<unsigned> permutation;
};

using PositionInterval = std::pair<std::uint64_t, std::uint64_t>; ///< half-open

class RunList;
struct ViewBuffer;

/// What a tensor refers to: a shape, and for each position in row-major order an element of a
/// variable. Immutable.
///
/// Representation: positions are a strided box over a `ViewBuffer`, a row of runs. A dimension is
/// one step of the box, as in NumPy, or several: when a reshape joins dimensions that no one stride
/// joins, the new dimension is both, one inside the other. Slices, shuffles, broadcasts, reversals
/// and most reshapes only change the box; a concatenation, and what cuts through the steps of a
/// dimension, make a new buffer out of runs, never out of single elements where a run will do.
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

  /// The positions of \p intervals one after the other; of rank 1, as the view itself.
  View gather(std::span<const PositionInterval> intervals) const;

  /// The order in which the elements ascend, if the strides alone tell; nothing says nothing.
  std::optional<BoxOrder> ascendingOrder() const;
  /// The positions in another order, flat.
  View inOrder(const BoxOrder &order) const;

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

  /// Appends the positions [begin, end) in row-major order to \p list.
  void addRuns(std::uint64_t begin, std::uint64_t end, RunList &list) const;

private:
  friend class ViewJoiner;
  /// One step of the box: `size` indices, `stride` positions of the buffer apart.
  struct Dim {
    std::size_t size = 1;
    std::int64_t stride = 0;
    bool begins = true; ///< a dimension of the view; else inside the one before
    friend bool operator==(const Dim &, const Dim &) = default;
  };
  using Dims = std::vector<Dim>;

  std::span<const Dim> stepsOf(unsigned dimension) const;
  /// The steps of some dimensions, without those of size 1, and joined where they step like one.
  static Dims simplified(std::span<const Dim> dims);
  Dims box() const { return simplified(dims_); }
  /// The same positions, where \p dimension has other steps.
  View withSteps(unsigned dimension, Dims steps, std::int64_t moved) const;
  std::int64_t positionOf(std::size_t index) const;

  std::shared_ptr<const ViewBuffer> buffer_; ///< null if there are no elements
  std::vector<std::size_t> shape_{0};
  Dims dims_{{0, 1, true}}; ///< a dimension's outermost step first
  std::int64_t offset_ = 0;
};

} // namespace copse::graph
