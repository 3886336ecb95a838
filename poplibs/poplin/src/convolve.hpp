#pragma once

#include "plan.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <vector>

namespace poplin {

/// Adds variables, vertices and steps of a convolution by its plan.
/// \param in       [batch][groups * input channels][field...]
/// \param weights  [groups][output channels][input channels][kernel...]
/// \returns [batch][groups * output channels][field...]
poplar::Tensor convolve(poplar::Graph &graph, const poplar::Tensor &in,
                        const poplar::Tensor &weights, const ConvParams &params,
                        const plan::Plan &plan, const plan::Demands &demands,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);

/// Returns the shape of the result: batch, channels, field.
std::vector<std::size_t> outputShape(const ConvParams &params);

} // namespace poplin
