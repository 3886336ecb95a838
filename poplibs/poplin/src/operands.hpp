#pragma once

#include "plan.hpp"

#include <poplar/Graph.hpp>

namespace poplin {

/// Adds new operands of a convolution, laid out by its plan: the elements that a tile reads are
/// contiguous, and are shared among the tiles that read them. Shapes are as for createInput() and
/// createWeights().
poplar::Tensor addInput(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                        const plan::Demands &demands, const poplar::DebugContext &debugContext);
poplar::Tensor addWeights(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                          const plan::Demands &demands, const poplar::DebugContext &debugContext);

} // namespace poplin
