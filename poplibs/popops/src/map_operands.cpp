#include "map_operands.hpp"

#include "poputil/Broadcast.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>

namespace copse::element_expr {
namespace {

using poplar::Tensor;

void findUsed(const TypedNode &node, std::vector<bool> &used) {
  if (node.kind == TypedNode::Kind::Operand)
    used[node.operand] = true;
  for (const TypedNode &argument : node.arguments)
    findUsed(argument, used);
}

void renumber(TypedNode &node, const std::vector<unsigned> &numbers) {
  if (node.kind == TypedNode::Kind::Operand)
    node.operand = numbers[node.operand];
  for (TypedNode &argument : node.arguments)
    renumber(argument, numbers);
}

std::vector<std::size_t> commonShape(const std::vector<Tensor> &tensors,
                                     const std::vector<bool> &used) {
  const Tensor *widest = nullptr; // widest of the operands so far, broadcast
  Tensor common;
  for (std::size_t i = 0; i != tensors.size(); ++i) {
    if (!used[i])
      continue;
    Tensor next = tensors[i];
    if (widest != nullptr)
      poputil::broadcastToMatch(common, next);
    common = next;
    widest = &common;
  }
  return common.shape();
}

/// Drops sizes of one in front of the other dimensions, where there are more than \p rank.
Tensor withoutLeadingOnes(Tensor t, std::size_t rank) {
  while (t.rank() > rank && t.dim(0) == 1)
    t = t[0];
  return t;
}

} // namespace

MapOperands mapOperands(TypedNode &expression, const std::vector<Tensor> &tensors,
                        const std::optional<std::vector<std::size_t>> &shape) {
  std::vector<unsigned> numbers(tensors.size());
  for (unsigned i = 0; i != tensors.size(); ++i)
    numbers[i] = static_cast<unsigned>(std::find(tensors.begin(), tensors.begin() + i, tensors[i]) -
                                       tensors.begin());
  renumber(expression, numbers);
  std::vector<bool> used(tensors.size(), false);
  findUsed(expression, used);

  MapOperands operands;
  operands.shape = shape ? *shape : commonShape(tensors, used);
  std::size_t elements = 1;
  for (const std::size_t dim : operands.shape)
    elements *= dim;
  for (std::size_t i = 0; i != tensors.size(); ++i) {
    operands.types.push_back(tensors[i].elementType());
    operands.views.push_back(tensors[i]);
    if (!used[i]) {
      operands.accesses.push_back(Access::Unused);
    } else if (tensors[i].numElements() == 1 && elements != 1) {
      operands.accesses.push_back(Access::Single);
      operands.views.back() = tensors[i].reshape({});
    } else {
      operands.accesses.push_back(Access::Elements);
      operands.views.back() = withoutLeadingOnes(tensors[i], operands.shape.size());
      poputil::broadcastToMatch(operands.views.back(), operands.shape);
    }
  }
  return operands;
}

} // namespace copse::element_expr
