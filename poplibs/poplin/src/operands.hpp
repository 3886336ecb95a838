#pragma once

#include "plan.hpp"

#include <poplar/Graph.hpp>

namespace poplin {

/// New operands of a convolution, laid out by its plan: what a tile reads is contiguous, and is
/// shared out among the tiles that read it. Shapes are those of createInput() and createWeights().
poplar::Tensor addInput(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                        const plan::Demands &demands, const poplar::DebugContext &debugContext);
poplar::Tensor addWeights(poplar::Graph &graph, const ConvParams &params, const plan::Plan &plan,
                          const plan::Demands &demands, const poplar::DebugContext &debugContext);

} // namespace poplin
