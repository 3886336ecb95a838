#pragma once

#include <poplar/Graph.hpp>

namespace gcl {

/// Adds a variable with the type, shape and mapping of \p like, but without aliases.
inline poplar::Tensor similar(poplar::Graph &graph, const poplar::Tensor &like,
                              const poplar::DebugContext &debugContext) {
  const poplar::Tensor t = graph.addVariable(like.elementType(), like.shape(), debugContext);
  graph.setTileMapping(t, graph.getTileMapping(like));
  return t;
}

} // namespace gcl
