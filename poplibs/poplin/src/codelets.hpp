#pragma once

#include <poplar/Graph.hpp>

namespace poplin {

/// The vertices of convolve(), if the graph has not got them yet.
void addConvolutionCodelets(poplar::Graph &graph);

} // namespace poplin
