#pragma once

#include "poplar/Graph.hpp"

namespace copse::graph {

/// Adds the codelets of Poplar's own vertex types, in namespace `poplar_rt`, when \p graph first
/// uses one of them. Does nothing for other names.
void addRuntimeVertices(poplar::Graph &graph, poplar::StringRef vertexType);

} // namespace copse::graph
