#pragma once

#include <poplar/Graph.hpp>

namespace gcl {

/// A variable of the type, shape and mapping of \p like, but never with aliases.
inline poplar::Tensor similar(poplar::Graph &graph, const poplar::Tensor &like,
                              const poplar::DebugContext &debugContext) {
  const poplar::Tensor t = graph.addVariable(like.elementType(), like.shape(), debugContext);
  graph.setTileMapping(t, graph.getTileMapping(like));
  return t;
}

} // namespace gcl
