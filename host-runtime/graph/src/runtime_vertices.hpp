#pragma once

#include "poplar/Graph.hpp"

namespace copse::graph {

/// Vertex types of the namespace `poplar_rt` are Poplar's own: \p graph gets their codelets when it first wants one of
/// them. Does nothing for other names.
void addRuntimeVertices(poplar::Graph &graph, poplar::StringRef vertexType);

} // namespace copse::graph
