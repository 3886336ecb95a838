#include "overflow_checks.hpp"

#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using poplar::program::Sequence;

/// A truncated result is wrong by a multiple of 2^32. Rounding errors of floats are far below this
/// bound.
constexpr float kCut = 1 << 30;

bool hasWideIntegers(ElementType type) {
  return type == ElementType::Int64 || type == ElementType::UInt64;
}

/// Returns the operators whose results can be larger than their inputs, with the inputs whose
/// elements are values, not indices.
const std::map<std::string, std::vector<std::size_t>> &growing() {
  static const std::vector<std::size_t> kAll, kFirst = {0}, kFirstAndThird = {0, 2};
  static const std::map<std::string, std::vector<std::size_t>> operators = {
      {"Abs", kAll},
      {"Add", kAll},
      {"CumSum", kFirst},
      {"Einsum", kAll},
      {"Gemm", kAll},
      {"MatMul", kAll},
      {"Mean", kAll},
      {"Mul", kAll},
      {"Neg", kAll},
      {"Pow", kAll},
      {"ReduceL1", kFirst},
      {"ReduceL2", kFirst},
      {"ReduceMean", kFirst},
      {"ReduceProd", kFirst},
      {"ReduceSum", kFirst},
      {"ReduceSumSquare", kFirst},
      {"ScatterElements", kFirstAndThird},
      {"ScatterND", kFirstAndThird},
      {"Sub", kAll},
      {"Sum", kAll},
  };
  return operators;
}

/// Returns true if a type has numbers that another type of 64 bits cannot represent, in ONNX or on
/// the device.
bool mayNotFit(ElementType from, ElementType to) {
  const bool isUnsigned = from == ElementType::UInt32 || from == ElementType::UInt64,
             isSigned = !isUnsigned && wrapped(-1, from) < 0;
  return isReal(from) || (to == ElementType::Int64 ? isUnsigned : isSigned);
}

/// Returns a value in floats. If the host knows it, the conversion happens there.
Value inFloats(OperatorContext &c, Value value, const std::string &name) {
  if (value.constant)
    return knownValue(converted(*value.constant, ElementType::Float));
  const poplar::Tensor tensor = c.onDevice(value, name, c.prog);
  return c.computed(tensor.elementType() == poplar::FLOAT
                        ? tensor
                        : popops::cast(c.graph, tensor, poplar::FLOAT, c.prog, c.node.name),
                    ElementType::Float);
}

/// Returns the result computed in floats, or nothing if it is never truncated.
std::optional<poplar::Tensor> reference(const Node &node, Values values, ReplicaGraph &replica,
                                        unsigned ipu, Sequence &prog) {
  OperatorContext outer(node, values, replica, ipu, prog);
  const auto asFloats = [&](std::size_t i) {
    return inFloats(outer, values.at(node.inputs[i]), node.inputs[i]);
  };
  const auto onDevice = [&](Value value) { return outer.onDevice(value, node.name, prog); };
  if (node.op == "Cast" || node.op == "CastLike")
    return mayNotFit(outer.type(0), values.at(node.outputs[0]).type)
               ? std::optional(onDevice(asFloats(0)))
               : std::nullopt;
  if (node.op == "BitShift" && outer.attribute<std::string>("direction", "") == "LEFT")
    return popops::map(outer.graph, pe::Mul(pe::_1, pe::Pow(pe::Const(2.0f), pe::_2)),
                       {onDevice(asFloats(0)), onDevice(asFloats(1))}, prog, node.name);
  const auto found = growing().find(node.op);
  if (found == growing().end())
    return std::nullopt;
  Node inner = node;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const auto &which = found->second;
    if (node.inputs[i].empty() ||
        (!which.empty() && std::find(which.begin(), which.end(), i) == which.end()))
      continue;
    inner.inputs[i] += " in floats";
    values[inner.inputs[i]] = asFloats(i);
  }
  OperatorContext context(inner, values, replica, ipu, prog);
  operatorTable().at(node.op)(context);
  return onDevice(values.at(node.outputs[0]));
}

} // namespace

void checkOverflow(const Node &node, const Values &values, ReplicaGraph &replica, unsigned ipu,
                   Sequence &prog) {
  const auto output = node.outputs.empty() ? values.end() : values.find(node.outputs[0]);
  if (output == values.end() || !hasWideIntegers(output->second.type) || output->second.constant ||
      elementsOf(output->second.shape) == 0)
    return;
  const auto expected = reference(node, values, replica, ipu, prog);
  if (!expected)
    return;
  poplar::Graph &graph = replica.ipus[ipu];
  const poplar::Tensor result = output->second.onIpus.at(ipu);
  const pe::Any difference = pe::Abs(pe::Sub(pe::_1, pe::Cast(pe::_2, poplar::FLOAT)));
  const poplar::Tensor isCut = // also true if the difference is NaN
      popops::map(graph, pe::Not(pe::Lt(difference, pe::Const(kCut))),
                  {expected->flatten(), result.flatten()}, prog, node.name);
  const poplar::Tensor any = popops::reduce(graph, isCut, poplar::BOOL, {0},
                                            popops::Operation::LOGICAL_OR, prog, node.name);
  const poplar::Tensor flag = graph.addVariable(poplar::BOOL, {}, node.name);
  graph.setTileMapping(flag, 0);
  graph.setInitialValue(flag, false);
  popops::mapInPlace(graph, pe::BinaryOpType::LOGICAL_OR, flag, any, prog, node.name);
  replica.overflows.push_back({node.describe(), flag});
}

} // namespace copse::onnx
