#pragma once

#include <poplar/Graph.hpp>

namespace popnn {

/// To be called once before the library's other functions; another call does nothing. What a graph
/// uses of the codelets is loaded when it uses it.
void addCodelets(poplar::Graph &graph);

} // namespace popnn
