// Quantization of reals to small integers with a scale, and back: the nodes around a quantized
// operator.
#include "quantization.hpp"

#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Returns a scale or a zero point: one value for all elements, or one for each index of an axis.
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

void requireWholeTensor(const OperatorContext &c) {
  c.requireInteger("block_size", 0);
  c.withoutEffect({"axis"}); // there is one scale for all elements
}

/// Rounds the quotient to the type of the scale, which is the precision of the division in the
/// standard.
void quantize(OperatorContext &c) {
  requireWholeTensor(c);
  c.withoutEffect({"saturate"}); // concerns floating-point types of eight bits
  const ElementType type = c.has(2) ? c.type(2) : ElementType::UInt8;
  if (isReal(type) || widthOf(type) > 2 || type == ElementType::Bool)
    c.fail("quantisation to " + nameOf(type) + " is not supported");
  const poplar::Tensor in = c.tensor(0), scale = perIndex(c, c.tensor(1));
  const pe::Any quotient = pe::Divide(asFloat(in, 1), asFloat(scale, 2));
  const poplar::Tensor scaled =
      asType(c,
             c.rounded(popops::map(c.graph, ofType(quotient, scale.elementType()), {in, scale},
                                   c.prog, c.node.name)),
             poplar::FLOAT);
  const poplar::Tensor zero = c.has(2) ? perIndex(c, c.tensor(2)) : poplar::Tensor();
  c.outputInRange(quantized(c, scaled, zero, type), type);
}

/// Takes the scale and the zero point from the input's own range, extended to include 0. Source:
/// the function body of opset 11. An input of zeros, whose range is empty, has the scale 1.
void quantizeDynamically(OperatorContext &c) {
  const poplar::Tensor in = c.tensor(0), all = in.flatten();
  if (in.numElements() == 0)
    c.fail("an input of shape " + textOf(in.shape()) + " has no range");
  const auto extreme = [&](popops::Operation op) {
    return popops::reduce(c.graph, all, poplar::FLOAT, {0}, op, c.prog, c.node.name);
  };
  const pe::Any zero = pe::Const(0.0f);
  const poplar::Tensor lowest = popops::map(c.graph, pe::Min(pe::_1, zero),
                                            {extreme(popops::Operation::MIN)}, c.prog, c.node.name);
  const pe::Any range = pe::Sub(pe::Max(pe::_1, zero), pe::_2);
  const poplar::Tensor scale = popops::map(
      c.graph,
      pe::Select(pe::Divide(range, pe::Const(255.0f)), pe::Const(1.0f), pe::NotEqual(range, zero)),
      {extreme(popops::Operation::MAX), lowest}, c.prog, c.node.name);
  const poplar::Tensor start = popops::map(c.graph, pe::Neg(pe::Divide(pe::_1, pe::_2)),
                                           {lowest, scale}, c.prog, c.node.name);
  const poplar::Tensor zeroPoint = quantized(c, start, {}, ElementType::UInt8);
  const poplar::Tensor scaled = popops::div(c.graph, in, scale, c.prog, c.node.name);
  c.outputInRange(quantized(c, scaled, zeroPoint, ElementType::UInt8), ElementType::UInt8);
  c.output(scale, ElementType::Float, 1);
  c.outputInRange(zeroPoint, ElementType::UInt8, 2);
}

/// Subtracts the zero point from integers, so that 32 bits stay exact. The result has the type of
/// the scale.
void dequantize(OperatorContext &c) {
  requireWholeTensor(c);
  poplar::Tensor integers = c.tensor(0);
  if (c.has(2))
    integers = popops::sub(c.graph, integers, perIndex(c, c.tensor(2)), c.prog, c.node.name);
  const poplar::Tensor scale = perIndex(c, c.tensor(1));
  const pe::Any result = pe::Mul(pe::Cast(pe::_1, poplar::FLOAT), asFloat(scale, 2));
  c.output(popops::map(c.graph, ofType(result, scale.elementType()), {integers, scale}, c.prog,
                       c.node.name),
           c.type(1));
}

} // namespace

poplar::Tensor quantized(OperatorContext &c, const poplar::Tensor &reals,
                         const poplar::Tensor &zeroPoint, ElementType type) {
  const auto values = static_cast<double>(std::size_t{1} << (8 * widthOf(type)));
  const double lowest = wrapped(-1, type) < 0 ? -values / 2 : 0;
  const auto number = [&](double value) { return scalarConstant(c, poplar::FLOAT, value); };
  const poplar::Tensor rounded =
      popops::map(c.graph, pe::UnaryOpType::NEARBY_INT, reals, c.prog, c.node.name);
  const poplar::Tensor moved =
      zeroPoint.valid()
          ? popops::add(c.graph, rounded, asType(c, zeroPoint, poplar::FLOAT), c.prog, c.node.name)
          : rounded;
  const poplar::Tensor kept = popops::clamp(c.graph, moved, number(lowest),
                                            number(lowest + values - 1), c.prog, c.node.name);
  return popops::cast(c.graph, kept, poplar::INT, c.prog, c.node.name);
}

void addQuantization(OperatorTable &table) {
  table["DynamicQuantizeLinear"] = quantizeDynamically;
  table["QuantizeLinear"] = quantize;
  table["DequantizeLinear"] = dequantize;
}

} // namespace copse::onnx
