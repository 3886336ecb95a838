#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popnn {

/// Rows [begin, end) that one tile works on.
struct RowShare {
  unsigned tile;
  std::size_t begin, end;
};

/// Spreads the rows of \p t, of rank 2, over tiles: the tile that has a row's first element works
/// on it, unless that tile would get many more rows than its share.
std::vector<RowShare> shareRows(const poplar::Graph &graph, const poplar::Tensor &t);

} // namespace popnn
