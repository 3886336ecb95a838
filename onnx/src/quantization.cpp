// Reals as small integers with a scale, and back: what the nodes around a quantised operator do.
#include "operators.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// A scale or a zero point: one for all elements, or one for each index of an axis.
poplar::Tensor perIndex(OperatorContext &c, const poplar::Tensor &t) {
  if (t.numElements() == 1)
    return t.reshape({});
  const std::size_t rank = c.shape().size();
  Shape shape(rank, 1);
  const unsigned axis = c.axis(c.integer("axis", 1), rank);
  if (t.numElements() != c.shape()[axis])
    c.fail("scales " + textOf(t.shape()) + " do not fit axis " + std::to_string(axis) + " of " +
           textOf(c.shape()));
  shape[axis] = t.numElements();
  return t.reshape(shape);
}

poplar::Tensor asFloat(OperatorContext &c, const poplar::Tensor &t) {
  return popops::cast(c.graph, t, poplar::FLOAT, c.prog, c.node.name);
}

void quantize(OperatorContext &c) {
  const ElementType type = c.has(2) ? c.type(2) : ElementType::UInt8;
  if (type != ElementType::UInt8 && type != ElementType::Int8)
    c.fail("quantisation to " + nameOf(type) + " is not supported");
  const float lowest = type == ElementType::Int8 ? -128 : 0;
  const poplar::Tensor scaled =
      popops::map(c.graph, pe::NearbyInt(pe::Divide(pe::_1, pe::_2)),
                  {asFloat(c, c.tensor(0)), perIndex(c, c.tensor(1))}, c.prog, c.node.name);
  const poplar::Tensor moved =
      c.has(2)
          ? popops::add(c.graph, scaled, perIndex(c, asFloat(c, c.tensor(2))), c.prog, c.node.name)
          : scaled;
  const poplar::Tensor kept =
      popops::map(c.graph, pe::Clamp(pe::_1, pe::Const(lowest), pe::Const(lowest + 255)), {moved},
                  c.prog, c.node.name);
  c.output(popops::cast(c.graph, kept, poplar::INT, c.prog, c.node.name), type);
}

void dequantize(OperatorContext &c) {
  poplar::Tensor reals = asFloat(c, c.tensor(0));
  if (c.has(2))
    reals = popops::sub(c.graph, reals, perIndex(c, asFloat(c, c.tensor(2))), c.prog, c.node.name);
  c.output(popops::mul(c.graph, reals, perIndex(c, asFloat(c, c.tensor(1))), c.prog, c.node.name),
           ElementType::Float);
}

} // namespace

void addQuantization(OperatorTable &table) {
  table["QuantizeLinear"] = quantize;
  table["DequantizeLinear"] = dequantize;
}

} // namespace copse::onnx
