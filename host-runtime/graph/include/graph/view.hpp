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

/// The variable of elements that a slice requested beyond the end. A tensor with such elements may
/// be viewed and counted, but code that uses elements never sees them (Access::state).
inline constexpr VariableId kBeyondTheEnd = 0xFFFFFFFF;

/// Returns the number of elements of a shape; 1 for a scalar.
std::size_t product(std::span<const std::size_t> sizes);

/// `count` elements of a variable: begin, begin + stride, ... A contiguous piece, and a single
/// element, have stride 1; a broadcast element has stride 0.
struct Run {
  VariableId variable = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::int64_t stride = 1;
  friend bool operator==(const Run &, const Run &) = default;
};

/// A permutation of positions: the view is reshaped, some dimensions are reversed, and then its
/// dimensions are shuffled.
struct BoxOrder {
  std::vector<std::size_t> shape;
  std::vector<unsigned> reversed; ///< dimensions
  std::vector<unsigned> permutation;
};

using PositionInterval = std::pair<std::uint64_t, std::uint64_t>; ///< half-open

class RunList;
struct ViewBuffer;

/// The content of a tensor: a shape, and for each position in row-major order an element of a
/// variable. Immutable.
///
/// Representation: positions are a strided box over a `ViewBuffer`, which is a row of runs. A
/// dimension is one step of the box, as in NumPy, or several nested ones: when a reshape joins
/// dimensions that have no common stride, the new dimension has the steps of both. Slices,
/// shuffles, broadcasts, reversals and most reshapes change only the box. Concatenations, and
/// operations that cut through the steps of a dimension, build a new buffer from runs, and avoid
/// single elements if possible.
class View {
public:
  /// A view without elements, of shape {0}.
  View() = default;
  static View ofVariable(VariableId variable, std::vector<std::size_t> shape);
  /// Returns a view of the elements of \p runs in order; the product of \p shape must be their
  /// number.
  static View ofRuns(std::vector<Run> runs, std::vector<std::size_t> shape);

  const std::vector<std::size_t> &shape() const { return shape_; }
  std::size_t numElements() const;

  // The caller (Tensor) checks arguments, because it can describe errors.
  View slice(std::size_t begin, std::size_t end, unsigned dimension) const;
  View dropDimension(unsigned dimension) const; ///< must have size 1
  View insertDimension(unsigned before) const;  ///< gets size 1
  View dimShuffle(std::span<const unsigned> permutation) const;
  View reshape(std::vector<std::size_t> shape) const;
  View broadcast(std::size_t n, unsigned dimension) const;
  View subSample(std::size_t stride, unsigned dimension) const;
  View upsample(std::size_t scale, unsigned dimension) const;
  View reverse(unsigned dimension) const;
  static View concat(std::span<const View> views, unsigned dimension);

  /// Returns the positions in \p intervals, one after another; both views have rank 1.
  View gather(std::span<const PositionInterval> intervals) const;

  /// Returns the order in which the elements ascend, if the strides determine it; nothing if
  /// unknown.
  std::optional<BoxOrder> ascendingOrder() const;
  /// Returns the positions in another order, flattened.
  View inOrder(const BoxOrder &order) const;

  /// Returns all positions in row-major order, as the fewest runs after merging neighbours.
  std::vector<Run> runs() const;

  /// Returns every element, in the order (and as often) as gives few runs, for results that do not
  /// depend on positions.
  std::vector<Run> elementRuns() const;

  /// Returns the element at a position in row-major order, as a run of one.
  Run at(std::size_t position) const;

  /// Returns true if all elements follow each other in one variable, or if the view is empty.
  bool isContiguous() const;

  /// Returns true if the strides prove that no element occurs twice; false is no information.
  bool isPlainlyAliasFree() const;

  /// Compares the shapes, and the elements in order.
  friend bool operator==(const View &a, const View &b);

  /// Appends the positions [begin, end) in row-major order to \p list.
  void addRuns(std::uint64_t begin, std::uint64_t end, RunList &list) const;

private:
  friend class ViewJoiner;
  /// One step of the box: `size` indices, at a distance of `stride` positions of the buffer.
  struct Dim {
    std::size_t size = 1;
    std::int64_t stride = 0;
    bool begins = true; ///< starts a dimension of the view; else nested in the previous step
    friend bool operator==(const Dim &, const Dim &) = default;
  };
  using Dims = std::vector<Dim>;

  std::span<const Dim> stepsOf(unsigned dimension) const;
  /// Returns the steps of some dimensions, without dimensions of size 1, and with compatible ones
  /// joined.
  static Dims simplified(std::span<const Dim> dims);
  Dims box() const { return simplified(dims_); }
  /// Returns the view with other steps for \p dimension.
  View withSteps(unsigned dimension, Dims steps, std::int64_t moved) const;
  std::int64_t positionOf(std::size_t index) const;

  std::shared_ptr<const ViewBuffer> buffer_; ///< null if there are no elements
  std::vector<std::size_t> shape_{0};
  Dims dims_{{0, 1, true}}; ///< outermost step of a dimension first
  std::int64_t offset_ = 0;
};

} // namespace copse::graph
