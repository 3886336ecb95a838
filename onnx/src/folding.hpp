#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Computes the outputs of a node on the host, if the host knows all inputs and the operator is one
/// of those that compute shapes and weights. Integers are exact, in 64 bits.
/// \returns false if the node has to be lowered
/// \throws ModelError  which names the node
bool fold(OperatorContext &context);

} // namespace copse::onnx
