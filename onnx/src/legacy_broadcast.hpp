#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Up to opset 6, the attributes 'broadcast' and 'axis' align the second operand of an operator,
/// and PRelu aligns its slopes with the channels. Newer opsets and the lowerings align the last
/// dimensions, as NumPy does. Returns the node with a second operand whose shape gives the old
/// alignment under the new rule, and adds this operand to \p values.
/// \returns nothing if the node need not change
/// \throws ModelError  if the shapes do not fit the attributes
std::optional<Node> withAlignedOperands(const Node &node, Values &values);

} // namespace copse::onnx
