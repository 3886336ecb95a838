#pragma once

#include "model.hpp"

namespace copse::onnx {

/// Attribute of a convolution that withJoinedNodes() has joined with a Relu.
inline constexpr char kJoinedRelu[] = "copse.relu";
/// Input of a joined convolution with the addend before the Relu, if there is one.
inline constexpr std::size_t kJoinedAddend = 3;

/// Joins each Relu after a convolution, and an Add between them, with the convolution: its bias,
/// the sum and the Relu then take one pass over the elements. The results are identical to the bit.
/// Only values with a single reader are joined.
Model withJoinedNodes(const Model &model);

} // namespace copse::onnx
