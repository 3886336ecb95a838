#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Up to opset 6, an operator of two operands aligns the second one by its attributes 'broadcast' and 'axis', and PRelu
/// aligns its slopes with the channels. Newer opsets align the last dimensions, as NumPy does, and so do the lowerings.
/// \returns the node with a second operand of a shape that newer opsets align in the same way; the operand is added to
///          \p values. None if the node is as newer opsets have it
/// \throws ModelError if the shapes do not fit the attributes
std::optional<Node> withAlignedOperands(const Node &node, Values &values);

} // namespace copse::onnx
