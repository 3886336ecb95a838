#include "legacy_broadcast.hpp"

#include "schemas.hpp"

namespace copse::onnx {
namespace {

constexpr std::int64_t kFirstWithoutAttributes = 7;

[[noreturn]] void fail(const Node &node, const std::string &why) {
  throw ModelError(node.describe() + ": " + why);
}

const Value &operand(const Node &node, const Values &values, std::size_t i) {
  const auto found = i < node.inputs.size() ? values.find(node.inputs[i]) : values.end();
  if (found == values.end())
    fail(node, "input " + std::to_string(i) + " is missing");
  return found->second;
}

std::int64_t integer(const Node &node, const char *name, std::int64_t otherwise) {
  const auto found = node.attributes.find(name);
  if (found == node.attributes.end())
    return otherwise;
  if (const auto *value = std::get_if<std::int64_t>(&found->second))
    return *value;
  fail(node, std::string("attribute '") + name + "' has another type than ONNX says");
}

/// Returns the shape of \p right with trailing ones, so that its first dimension is dimension \p
/// axis of \p left.
Shape alignedShape(const Node &node, const Shape &left, const Shape &right, std::int64_t axis) {
  const auto rank = static_cast<std::int64_t>(left.size()),
             own = static_cast<std::int64_t>(right.size());
  const std::int64_t first = axis < 0 ? axis + rank : axis;
  bool fits = first >= 0 && first + own <= rank;
  for (std::int64_t d = 0; fits && d < own; ++d) {
    const std::size_t size = right[static_cast<std::size_t>(d)];
    fits = size == 1 || size == left[static_cast<std::size_t>(first + d)];
  }
  if (!fits)
    fail(node, "shape " + textOf(right) + " does not fit " + textOf(left) + " from axis " +
                   std::to_string(axis) + " on");
  Shape shape = right;
  shape.resize(static_cast<std::size_t>(rank - first), 1);
  return shape;
}

Value reshaped(const Value &value, const Shape &shape) {
  Value result = value;
  result.shape = shape;
  if (value.constant) {
    HostTensor constant = *value.constant;
    constant.shape = shape;
    result.constant = std::make_shared<HostTensor>(std::move(constant));
  }
  if (value.given) { // the elements have another shape, but the device reads them
    value.given->isComputedWith = true;
    result.given = nullptr;
  }
  for (auto &[ipu, tensor] : result.onIpus)
    tensor = tensor.reshape(shape);
  return result;
}

/// Returns the shape for the second operand, or nothing if the operand need not change.
std::optional<Shape> wantedShape(const Node &node, const Values &values) {
  const Shape &left = operand(node, values, 0).shape, &right = operand(node, values, 1).shape;
  if (node.op == "PRelu")
    return elementsOf(right) == 1 || left.size() < 2
               ? std::nullopt
               : std::optional(alignedShape(node, left, right, 1));
  if (integer(node, "broadcast", 0) == 0) {
    if (left != right)
      fail(node, "operands of shapes " + textOf(left) + " and " + textOf(right) +
                     " differ, and attribute 'broadcast' is not set");
    return std::nullopt;
  }
  if (elementsOf(right) == 1)
    return Shape{};
  const auto suffix =
      static_cast<std::int64_t>(left.size()) - static_cast<std::int64_t>(right.size());
  return alignedShape(node, left, right, integer(node, "axis", suffix));
}

} // namespace

std::optional<Node> withAlignedOperands(const Node &node, Values &values) {
  const bool byAttributes = hasInSchema(node, "broadcast") && hasInSchema(node, "axis");
  if (node.opset >= kFirstWithoutAttributes || (!byAttributes && node.op != "PRelu"))
    return std::nullopt;
  const auto shape = wantedShape(node, values);
  Node aligned = node;
  aligned.attributes.erase("broadcast");
  aligned.attributes.erase("axis");
  if (shape) {
    aligned.inputs[1] += " of " + node.name;
    values[aligned.inputs[1]] = reshaped(operand(node, values, 1), *shape);
  }
  return aligned;
}

} // namespace copse::onnx
