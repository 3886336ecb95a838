#pragma once

#include "graph/state.hpp"
#include "graph/tile_space.hpp"

#include "poplar/Graph.hpp"

#include <memory>

namespace poplar {

/// One graph object: what it shares with its relatives, and its own tile numbers.
struct Graph::Impl {
  std::shared_ptr<copse::graph::GraphState> state;
  Target target; ///< of this graph's tiles
  copse::graph::TileSpace tiles;

  copse::graph::Model &model() { return state->model; }
  const copse::graph::Model &model() const { return state->model; }
};

} // namespace poplar
