#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Integers of 64 bits have 32 bits on the device. If a node computes with such integers, the
/// device also computes the node in floats, which approximate the true result even if it is large.
/// If the two results differ by more than rounding can explain, the result was truncated. The
/// program then sets the node's flag in \p replica, and the run ends with an error.
///
/// Must be called after the node's lowering, when \p values has the inputs and outputs.
void checkOverflow(const Node &node, const Values &values, ReplicaGraph &replica, unsigned ipu,
                   poplar::program::Sequence &prog);

} // namespace copse::onnx
