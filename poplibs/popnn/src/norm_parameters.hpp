#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/ScaledAdd.hpp>

namespace popnn {

/// Adds \p scale, a number or a tensor of one element, times their deltas to both parameters of a
/// norm.
template <typename Scale>
void updateNormParams(poplar::Graph &graph, const poplar::Tensor &gammaDelta,
                      const poplar::Tensor &betaDelta, const Scale &scale, poplar::Tensor &gamma,
                      poplar::Tensor &beta, poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext) {
  popops::scaledAddTo(graph, gamma, gammaDelta, scale, prog, {debugContext, "gamma"});
  popops::scaledAddTo(graph, beta, betaDelta, scale, prog, {debugContext, "beta"});
}

} // namespace popnn
