#pragma once

#include "graph/view.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace copse::graph {

/// An order of the positions of views of one shape: a shuffle of dimensions, or else a list of
/// intervals, which has every position once.
struct RearrangerState {
  std::vector<std::size_t> shape;
  std::optional<BoxOrder> shuffle;
  std::vector<PositionInterval> intervals; ///< none or one: the order as it is

  /// The order in which the positions of \p view lie in memory.
  static RearrangerState memoryOrderOf(const View &view);
  /// The positions of \p view, of as many elements, in this order.
  /// \returns rank 1
  View apply(const View &view) const;
  /// The reverse.
  /// \returns shape `shape`
  View undo(const View &view) const;
};

} // namespace copse::graph
