#pragma once

#include "model.hpp"

namespace copse::onnx {

/// Of a convolution that withJoinedNodes() has joined with a Relu.
inline constexpr char kJoinedRelu[] = "copse.relu";
/// Input of such a convolution: what is added before the Relu, if anything is.
inline constexpr std::size_t kJoinedAddend = 3;

/// The model with each Relu behind a convolution, and an Add between them, joined with the convolution: its bias, the sum
/// and the Relu are one pass over its elements then. The results are the same to the bit. Only values that nothing else
/// reads are joined.
Model withJoinedNodes(const Model &model);

} // namespace copse::onnx
