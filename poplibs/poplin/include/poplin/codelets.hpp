#pragma once

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds the vertices of poplin to a graph. A second call changes nothing.
void addCodelets(poplar::Graph &graph);

} // namespace poplin
