#pragma once

#include <cstddef>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace copse::tile_work {

/// The part of an elementwise operation that one tile computes: the same positions of several
/// tensors.
struct TileShare {
  unsigned tile = 0;
  std::vector<poplar::Tensor> views; ///< views of rank 1, one for each tensor, all of the same size
};

/// Cuts \p tensors, which have equally many elements, by the tile mapping of the first.
///
/// Positions are put in the order in which elements of the first lie in memory, so that a view is
/// contiguous on its tile wherever that is possible. An empty tensor has no shares.
std::vector<TileShare> sharesByTile(const poplar::Graph &graph,
                                    const std::vector<poplar::Tensor> &tensors);

} // namespace copse::tile_work
