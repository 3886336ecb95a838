#include "operator_context.hpp"

#include "lower_node.hpp"
#include "schemas.hpp"

#include <limits>
#include <poplar/replication_factor.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

/// Returns integers in the type that the device has for them.
template <class T>
std::vector<T> deviceIntegers(const HostTensor &tensor, const std::string &name) {
  requireDeviceRange(tensor, "constant '" + name + "'");
  return {tensor.integers.begin(), tensor.integers.end()};
}

/// Returns the low bits of INT elements, sign-extended from a narrower type.
popops::expr::Any lowBits(ElementType type) {
  namespace pe = popops::expr;
  const auto bits = static_cast<int>(8 * widthOf(type));
  if (type == ElementType::UInt8 || type == ElementType::UInt16)
    return pe::BitwiseAnd(pe::_1, pe::Const((1 << bits) - 1));
  return pe::ShrSE(pe::Shl(pe::_1, pe::Const(32 - bits)), pe::Const(32 - bits));
}

/// Returns the bits of a real rounded to the nearest half (ties to even), with infinity for numbers
/// that are too large.
/// \param reals  INT, the bits of floats
/// \param tiny   INT, the bits of the floats rounded to multiples of the smallest half
popops::expr::Any bitsOfHalf(const popops::expr::Any &reals, const popops::expr::Any &tiny) {
  namespace pe = popops::expr;
  constexpr int kDropped = 13, kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;
  constexpr int kLeastNormal = 0x38800000, kBeyond = 0x47800000; // 2^-14 and 2^16
  const pe::Any size = pe::BitwiseAnd(reals, pe::Const(kMagnitude));
  const pe::Any isOdd = pe::BitwiseAnd(pe::Shr(size, pe::Const(kDropped)), pe::Const(1));
  const pe::Any nearest =
      pe::BitwiseAnd(pe::Add(pe::Add(size, pe::Const((1 << (kDropped - 1)) - 1)), isOdd),
                     pe::Const(-(1 << kDropped)));
  const pe::Any normal =
      pe::Select(pe::Const(kInfinity), nearest, pe::Gte(nearest, pe::Const(kBeyond)));
  const pe::Any finite = pe::Select(pe::BitwiseAnd(tiny, pe::Const(kMagnitude)), normal,
                                    pe::Lt(size, pe::Const(kLeastNormal)));
  return pe::BitwiseOr(pe::BitwiseAnd(reals, pe::Const(-kMagnitude - 1)),
                       pe::Select(size, finite, pe::Gte(size, pe::Const(kInfinity))));
}

} // namespace

poplar::Type deviceType(ElementType type) {
  switch (type) {
  case ElementType::Float:
  case ElementType::Double:
    return poplar::FLOAT;
  case ElementType::Half:
    return poplar::HALF;
  case ElementType::Bool:
    return poplar::BOOL;
  case ElementType::UInt32:
  case ElementType::UInt64:
    return poplar::UNSIGNED_INT;
  default:
    return poplar::INT;
  }
}

void requireDeviceRange(const HostTensor &tensor, const std::string &what) {
  if (isReal(tensor.type))
    return;
  const bool isSigned = deviceType(tensor.type) != poplar::UNSIGNED_INT;
  const std::int64_t least = isSigned ? std::numeric_limits<std::int32_t>::min() : 0,
                     most = isSigned ? std::int64_t{std::numeric_limits<std::int32_t>::max()}
                                     : std::int64_t{std::numeric_limits<std::uint32_t>::max()};
  for (const std::int64_t i : tensor.integers)
    if (i < least || i > most)
      throw ModelError(
          what + " holds " +
          (isSigned ? std::to_string(i) : std::to_string(static_cast<std::uint64_t>(i))) +
          ", which does not fit into the 32 bits that integers have on the device");
}

ReplicaGraph::ReplicaGraph(const poplar::Target &target, unsigned replicas, unsigned ipusPerReplica)
    : graph(target, poplar::replication_factor(replicas)) {
  const unsigned tiles = graph.getTarget().getNumTiles() / ipusPerReplica;
  for (unsigned ipu = 0; ipu < ipusPerReplica; ++ipu)
    ipus.push_back(graph.createVirtualGraph(ipu * tiles, (ipu + 1) * tiles));
}

OperatorContext::OperatorContext(const Node &of, Values &values, ReplicaGraph &replica,
                                 unsigned ipu, poplar::program::Sequence &program)
    : node(of), opset(of.opset), graph(replica.ipus[ipu]), prog(program), plans(replica.plans),
      values_(values), replica_(replica), ipu_(ipu) {}

void OperatorContext::fail(const std::string &why) const {
  throw ModelError(node.describe() + ": " + why);
}

Value &OperatorContext::value(std::size_t i) const {
  if (!has(i))
    fail("input " + std::to_string(i) + " is missing");
  const auto found = values_.find(node.inputs[i]);
  if (found == values_.end())
    fail("input '" + node.inputs[i] + "' is made by no node before this one");
  return found->second;
}

poplar::Tensor OperatorContext::initialised(const poplar::Tensor &tensor,
                                            const HostTensor &values) {
  if (tensor.numElements() == 0)
    return tensor;
  if (isReal(values.type))
    graph.setInitialValue(tensor, values.reals);
  else if (tensor.elementType() == poplar::UNSIGNED_INT)
    graph.setInitialValue(tensor, deviceIntegers<std::uint32_t>(values, node.name));
  else
    graph.setInitialValue(tensor, deviceIntegers<std::int32_t>(values, node.name));
  return tensor;
}

poplar::Tensor OperatorContext::tensor(std::size_t i) {
  return onDevice(used(i), node.inputs[i], prog);
}

poplar::Tensor OperatorContext::onDevice(Value &source, const std::string &name,
                                         poplar::program::Sequence &into) {
  if (source.given)
    source.given->isComputedWith = true;
  if (const auto found = source.onIpus.find(ipu_); found != source.onIpus.end())
    return found->second;
  if (!source.constant) {
    const poplar::Tensor there = source.onIpus.begin()->second;
    return source.onIpus[ipu_] = poputil::copyToIpu(replica_.graph, there, into, ipu_, name);
  }
  const poplar::Tensor variable = graph.addVariable(deviceType(source.type), source.shape, name);
  poputil::mapTensorLinearly(graph, variable);
  return source.onIpus[ipu_] = initialised(variable, *source.constant);
}

poplar::Tensor OperatorContext::weights(std::size_t i,
                                        const std::function<poplar::Tensor()> &create) {
  Value &source = used(i);
  if (!source.constant || source.onIpus.count(ipu_) != 0)
    return tensor(i);
  const poplar::Tensor variable = create().reshape(source.shape);
  return source.onIpus[ipu_] = initialised(variable, *source.constant);
}

const HostTensor *OperatorContext::constant(std::size_t i) const {
  const Value &source = used(i);
  return source.constant.get();
}

bool OperatorContext::allConstant() const {
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (!has(i) || value(i).constant == nullptr)
      return false;
  return !node.inputs.empty();
}

const HostTensor &OperatorContext::known(std::size_t i) const {
  if (const HostTensor *is = constant(i))
    return *is;
  if (const Value &input = used(i); input.given != nullptr) {
    input.given->shapesProgram = true;
    return *input.given->tensor;
  }
  fail("input '" + node.inputs[i] +
       "' must be known before the model runs: make it a constant, or give it with --input");
}

std::vector<std::int64_t> OperatorContext::list(const std::string &name, std::size_t i) const {
  return has(i) ? known(i).integers : integers(name);
}

unsigned OperatorContext::axis(std::int64_t number, std::size_t rank) const {
  const auto size = static_cast<std::int64_t>(rank);
  if (number < -size || number >= size)
    fail("axis " + std::to_string(number) + " of a tensor with " + std::to_string(size) +
         " dimensions");
  return static_cast<unsigned>(number < 0 ? number + size : number);
}

std::vector<std::size_t> OperatorContext::axes(const std::vector<std::int64_t> &numbers,
                                               std::size_t rank) const {
  std::vector<std::size_t> result;
  for (const std::int64_t number : numbers)
    result.push_back(axis(number, rank));
  return result;
}

void OperatorContext::requireInteger(const std::string &name, std::int64_t only,
                                     std::int64_t otherwise) const {
  if (const std::int64_t is = integer(name, otherwise); is != only)
    fail("attribute '" + name + "' = " + std::to_string(is) + " is not supported");
}

void OperatorContext::forgetUse() {
  usedAttributes_.clear();
  usedInputs_.clear();
}

bool OperatorContext::putsOutElements() const {
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    const auto made = wantsOutput(i) ? values_.find(node.outputs[i]) : values_.end();
    if (made != values_.end() && elementsOf(made->second.shape) != 0)
      return true;
  }
  return false;
}

void OperatorContext::requireOutputs() const {
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (wantsOutput(i) && values_.count(node.outputs[i]) == 0)
      fail("output '" + node.outputs[i] + "' (number " + std::to_string(i) + ") is not supported");
}

void OperatorContext::checkUse() const {
  requireOutputs();
  if (!putsOutElements())
    return; // a lowering that returns early has computed only shapes
  // ONNX calls the attribute consumed_inputs of opset 1 a hint for optimisers.
  withoutEffect({"consumed_inputs"});
  for (const auto &[name, value] : node.attributes)
    if (usedAttributes_.count(name) == 0 && !hasDefaultValue(node, name))
      fail("attribute '" + name + "' is not supported");
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (has(i) && usedInputs_.count(i) == 0)
      fail("input '" + node.inputs[i] + "' (number " + std::to_string(i) + ") is not supported");
}

poplar::Tensor OperatorContext::rounded(const poplar::Tensor &tensor) {
  namespace pe = popops::expr;
  if (tensor.elementType() != poplar::HALF || graph.getTarget().getTypeSize(poplar::HALF) == 2)
    return tensor;
  const auto compute = [&](const pe::Any &expression, const std::vector<poplar::Tensor> &operands) {
    return popops::map(graph, expression, operands, prog, node.name);
  };
  const poplar::Tensor reals = compute(pe::Cast(pe::_1, poplar::FLOAT), {tensor});
  constexpr float kUnit = 0.75f; // its last digit is the smallest half
  const poplar::Tensor tiny = compute(pe::Add(pe::_1, pe::Const(kUnit)), {reals});
  const poplar::Tensor bits =
      compute(bitsOfHalf(pe::_1, pe::_2),
              {reals.reinterpret(poplar::INT),
               compute(pe::Sub(pe::_1, pe::Const(kUnit)), {tiny}).reinterpret(poplar::INT)});
  return compute(pe::Cast(pe::_1, poplar::HALF), {bits.reinterpret(poplar::FLOAT)});
}

void OperatorContext::output(const poplar::Tensor &tensor, ElementType type, std::size_t i) {
  if (!wantsOutput(i))
    return;
  const bool isNarrow = tensor.elementType() == poplar::INT && widthOf(type) < 4;
  outputInRange(isNarrow ? popops::map(graph, lowBits(type), {tensor}, prog, node.name)
                         : rounded(tensor),
                type, i);
}

void OperatorContext::outputInRange(const poplar::Tensor &tensor, ElementType type, std::size_t i) {
  if (!wantsOutput(i))
    return;
  values_[node.outputs[i]] = computed(tensor, type);
}

void OperatorContext::output(Value value, std::size_t i) {
  if (wantsOutput(i))
    values_[node.outputs[i]] = std::move(value);
}

Value OperatorContext::computed(const poplar::Tensor &tensor, ElementType type) const {
  return {type, tensor.shape(), nullptr, nullptr, {{ipu_, tensor}}};
}

void OperatorContext::outputFilled(double value, const Shape &shape, ElementType type,
                                   std::size_t i) {
  HostTensor tensor = makeTensor(type, shape);
  std::fill(tensor.reals.begin(), tensor.reals.end(), static_cast<float>(value));
  std::fill(tensor.integers.begin(), tensor.integers.end(), static_cast<std::int64_t>(value));
  outputConstant(std::move(tensor), i);
}

void OperatorContext::outputConstant(HostTensor tensor, std::size_t i) {
  if (wantsOutput(i))
    values_[node.outputs[i]] = knownValue(std::move(tensor));
}

const Graph &OperatorContext::innerGraph(const std::string &name) const {
  const auto inner = attribute<std::shared_ptr<const Graph>>(name, nullptr);
  if (!inner)
    fail("attribute '" + name + "' is missing");
  return *inner;
}

void OperatorContext::lower(const Graph &inner, Values &scope, poplar::program::Sequence &into) {
  addInitializers(inner, scope);
  for (const Node &each : inner.nodes)
    lowerNode(each, scope, replica_, ipu_, into);
}

bool OperatorContext::isKnown(std::size_t i) const {
  const Value &source = used(i);
  return source.constant || source.given;
}

Value knownValue(HostTensor tensor) {
  Value value;
  value.type = tensor.type;
  value.shape = tensor.shape;
  value.constant = std::make_shared<HostTensor>(std::move(tensor));
  return value;
}

} // namespace copse::onnx
