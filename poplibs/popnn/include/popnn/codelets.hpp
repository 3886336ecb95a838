#pragma once

#include <poplar/Graph.hpp>

namespace popnn {

/// Adds the library's codelets. To be called once before the library's other functions; another
/// call does nothing. Codelets are loaded when the graph uses them.
void addCodelets(poplar::Graph &graph);

} // namespace popnn
