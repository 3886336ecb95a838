#pragma once

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds the library's codelets. Call this once before the library's other functions; further calls
/// do nothing.
void addCodelets(poplar::Graph &graph);

} // namespace poplin
