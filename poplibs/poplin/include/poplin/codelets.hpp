#pragma once

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds the library's codelets. To be called once before the library's other functions; another
/// call does nothing.
void addCodelets(poplar::Graph &graph);

} // namespace poplin
