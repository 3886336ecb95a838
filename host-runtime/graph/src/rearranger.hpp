#pragma once

#include "graph/view.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace copse::graph {

/// A permutation of the positions of views of one shape: a shuffle of dimensions, or else a list of
/// intervals that contains every position once.
struct RearrangerState {
  std::vector<std::size_t> shape;
  std::optional<BoxOrder> shuffle;
  std::vector<PositionInterval> intervals; ///< none or one: the identity

  /// Returns the order in which the positions of \p view lie in memory.
  static RearrangerState memoryOrderOf(const View &view);
  /// Returns the positions of \p view, which must have the right number of elements, in this order.
  /// \returns rank 1
  View apply(const View &view) const;
  /// Undoes apply().
  /// \returns a view of shape `shape`
  View undo(const View &view) const;
};

} // namespace copse::graph
