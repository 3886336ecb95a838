#pragma once

#include <poplar/Graph.hpp>

namespace poprand {

/// Adds the library's codelets. Call this once before the library's other functions; further calls
/// do nothing. Codelets are loaded when the graph uses them.
void addCodelets(poplar::Graph &graph);

} // namespace poprand
