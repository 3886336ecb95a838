#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Integers of 64 bits have 32 on the device. Where a node computes with such integers, the device also computes the node
/// in floats, which are near the true result however large it is: if the two differ by more than rounding explains, the
/// result was cut. The program then sets the node's flag in \p replica, and the run ends with an error.
///
/// Must be called after the node's lowering, for \p values has inputs and outputs.
void checkOverflow(const Node &node, const Values &values, ReplicaGraph &replica, unsigned ipu,
                   poplar::program::Sequence &prog);

} // namespace copse::onnx
