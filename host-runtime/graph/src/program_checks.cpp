#include "program_checks.hpp"

#include "tensor_checks.hpp"

#include "graph/types.hpp"
#include "poplar/exceptions.hpp"

namespace copse::graph {

NodePtr newNode(ProgramKind kind, const poplar::DebugContext &debugContext) {
  return std::make_shared<ProgramNode>(ProgramNode{debugContext.getPathName(), std::move(kind)});
}

std::string programText(const char *kind, const poplar::DebugContext &debugContext) {
  const std::string name = debugContext.getPathName();
  return name.empty() ? kind : std::string(kind) + " '" + name + "'";
}

void checkCopy(const std::string &who, const poplar::Tensor &src, const poplar::Tensor &dst) {
  const TensorState &from = Access::state(src, who), &to = Access::state(dst, who);
  if (from.graph != to.graph) {
    throw poplar::control_program_error(who + ": the tensors belong to different graphs");
  }
  if (from.value.type != to.value.type) {
    throw poplar::control_program_error(who + ": the source" + ofVariables(src) +
                                        " has elements of type " + nameOf(from.value.type) +
                                        ", the destination" + ofVariables(dst) + " of type " +
                                        nameOf(to.value.type));
  }
  if (src.numElements() != dst.numElements()) {
    throw poplar::control_program_error(who + ": the source" + ofVariables(src) + " has shape " +
                                        src.shapeToString() + ", the destination" +
                                        ofVariables(dst) + " has shape " + dst.shapeToString() +
                                        ", with another number of elements");
  }
}

TypedView checkedScalar(const std::string &who, const poplar::Tensor &t, bool boolToo) {
  const TensorState &state = Access::state(t, who);
  const ElementType type = state.value.type;
  const bool typeFits = type == ElementType::Int || type == ElementType::UnsignedInt ||
                        (boolToo && type == ElementType::Bool);
  if (!typeFits || t.numElements() != 1) {
    throw poplar::control_program_error(who + ": expected one " + (boolToo ? "bool, int" : "int") +
                                        " or unsigned int, given a " + nameOf(type) +
                                        " tensor of shape " + t.shapeToString());
  }
  return state.value;
}

TypedView checkedElement(const std::string &who, const poplar::Tensor &t) {
  const TensorState &state = Access::state(t, who);
  if (t.numElements() != 1) {
    throw poplar::control_program_error(who + ": expected one element, given a tensor of shape " +
                                        t.shapeToString());
  }
  return state.value;
}

} // namespace copse::graph
