// Reals as small integers with a scale, and back: what the nodes around a quantised operator do.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

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

void requireWholeTensor(const OperatorContext &c) {
  c.requireInteger("block_size", 0);
  c.withoutEffect({"axis"}); // of scales that are one for all elements
}

/// Divides in floats, whatever the types of the elements and the scale are. NaN becomes the lowest integer.
void quantize(OperatorContext &c) {
  requireWholeTensor(c);
  c.withoutEffect({"saturate"}); // concerns types of eight bits that are no integers
  const ElementType type = c.has(2) ? c.type(2) : ElementType::UInt8;
  if (isReal(type) || widthOf(type) > 2 || type == ElementType::Bool)
    c.fail("quantisation to " + nameOf(type) + " is not supported");
  const auto values = static_cast<double>(std::size_t{1} << (8 * widthOf(type)));
  const double lowest = wrapped(-1, type) < 0 ? -values / 2 : 0;
  const auto number = [&](double value) { return scalarConstant(c, poplar::FLOAT, value); };
  const poplar::Tensor scaled = popops::map(
      c.graph, pe::NearbyInt(pe::Divide(pe::_1, pe::_2)),
      {asType(c, c.tensor(0), poplar::FLOAT), perIndex(c, asType(c, c.tensor(1), poplar::FLOAT))},
      c.prog, c.node.name);
  const poplar::Tensor moved =
      c.has(2) ? popops::add(c.graph, scaled, perIndex(c, asType(c, c.tensor(2), poplar::FLOAT)),
                             c.prog, c.node.name)
               : scaled;
  const poplar::Tensor kept = popops::clamp(c.graph, moved, number(lowest),
                                            number(lowest + values - 1), c.prog, c.node.name);
  c.outputInRange(popops::cast(c.graph, kept, poplar::INT, c.prog, c.node.name), type);
}

/// Subtracts the zero point from integers, so that 32 bits stay exact. The result has the type of the scale.
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

void addQuantization(OperatorTable &table) {
  table["QuantizeLinear"] = quantize;
  table["DequantizeLinear"] = dequantize;
}

} // namespace copse::onnx
