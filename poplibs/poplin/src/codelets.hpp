#pragma once

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds the vertices of convolve(), unless the graph has them.
void addConvolutionCodelets(poplar::Graph &graph);

} // namespace poplin
