#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Computes the outputs of a node on the host if all of its inputs are known there and its operator is one that shapes
/// and weights are computed with. Integers are exact, in 64 bits.
/// \returns false if the node is left to its lowering
/// \throws ModelError, naming the node
bool fold(OperatorContext &context);

} // namespace copse::onnx
