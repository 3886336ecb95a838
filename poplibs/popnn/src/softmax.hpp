#pragma once

#include "popnn/NonLinearityDef.hpp"

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>

namespace popnn {

/// The factor of SOFTMAX_SCALED: a little below the largest half.
constexpr float kSoftmaxScaling = 62000.0f;

bool isSoftmax(NonLinearityType type);
/// \param type  one of softmax
void softmaxRowsInPlace(poplar::Graph &graph, NonLinearityType type, const poplar::Tensor &t,
                        poplar::program::Sequence &prog, const poplar::DebugContext &debugContext);
poplar::Tensor softmaxGradient(poplar::Graph &graph, const poplar::Tensor &act,
                               const poplar::Tensor &outGradient, poplar::program::Sequence &prog,
                               const poplar::DebugContext &debugContext);

} // namespace popnn
