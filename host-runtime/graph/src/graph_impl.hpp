#pragma once

#include "tile_space.hpp"

#include "graph/state.hpp"
#include "poplar/Graph.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace poplar {

/// One graph object: the state that it shares with related graphs, and its own tile numbers.
struct Graph::Impl {
  std::shared_ptr<copse::graph::GraphState> state;
  Target target; ///< with this graph's tiles
  copse::graph::TileSpace tiles;
  /// An index into Model::replications, to which everything added belongs; tile numbers refer to
  /// replica 0.
  std::uint32_t replication = copse::graph::kNotReplicated;

  copse::graph::Model &model() { return state->model; }
  const copse::graph::Model &model() const { return state->model; }
  unsigned replicas() const;
  /// \param bytes  \p values elements in device format: one for each element, or one for all if \p
  ///   fill
  Tensor addConstant(const Type &type, ArrayRef<std::size_t> shape, std::vector<std::byte> bytes,
                     std::size_t values, bool fill, const DebugContext &debugContext);
  /// Returns the number of entries in the model for a stream or remote buffer that is added here.
  unsigned instances() const {
    return replication == copse::graph::kNotReplicated ? 1 : replicas();
  }
};

} // namespace poplar
