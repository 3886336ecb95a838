// Pooling over windows, and over the whole field.
#include "expressions.hpp"
#include "operators.hpp"
#include "windows.hpp"

#include <popnn/Pooling.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

poplar::Tensor pooled(OperatorContext &c, const poplar::Tensor &in, popnn::PoolingType type,
                      const Windows &w) {
  for (const unsigned dilation : w.dilations)
    if (dilation != 1)
      c.fail("windows with dilations are not supported");
  const Shape shape = in.shape();
  if (elementsOf(Shape(shape.begin() + 2, shape.end())) == 0)
    c.fail("a field of shape " + textOf(shape) + " has no elements");
  const popnn::pooling::PoolParams params(type, Shape(shape.begin() + 2, shape.end()), w.kernel,
                                          w.strides, w.lower, w.upper, shape[1], shape[0],
                                          in.elementType());
  if (in.numElements() == 0) {
    Shape none = params.getOutputFieldShape();
    none.insert(none.begin(), shape.begin(), shape.begin() + 2);
    return c.graph.addVariable(in.elementType(), none);
  }
  return popnn::pooling::pool(c.graph, params, in, c.prog, c.node.name);
}

/// Refuses inputs that are not [batch][channels][field...].
void requireField(const OperatorContext &c) {
  if (c.shape().size() < 3)
    c.fail("an input of shape " + textOf(c.shape()) + " has no field");
}

/// Pools integers of 8 bits as floats, which hold them exactly.
void maxPool(OperatorContext &c) {
  requireField(c);
  const bool isByte = c.type() == ElementType::UInt8 || c.type() == ElementType::Int8;
  if (!isByte && !isReal(c.type()))
    c.fail("pooling of " + nameOf(c.type()) + " is not supported");
  if (c.wantsOutput(1))
    c.fail("the output of indices is not supported");
  c.withoutEffect({"storage_order"}); // an order of indices
  const poplar::Tensor in = c.tensor();
  const poplar::Tensor result =
      pooled(c, isByte ? popops::cast(c.graph, in, poplar::FLOAT, c.prog, c.node.name) : in,
             popnn::PoolingType::MAX, windowsOf(c, {}));
  c.outputInRange(isByte ? popops::cast(c.graph, result, poplar::INT, c.prog, c.node.name)
                         : result);
}

void requireReal(const OperatorContext &c) {
  requireField(c);
  if (!isReal(c.type()))
    c.fail("pooling of " + nameOf(c.type()) + " is not supported");
}

void averagePool(OperatorContext &c) {
  requireReal(c);
  Windows w = windowsOf(c, {});
  poplar::Tensor in = c.tensor();
  if (c.integer("count_include_pad", 0) != 0) { // zeros of its own, which count
    if (c.integer("ceil_mode", 0) != 0)
      c.fail("count_include_pad together with ceil_mode is not supported");
    std::vector<std::ptrdiff_t> lower(2, 0), upper(2, 0);
    lower.insert(lower.end(), w.lower.begin(), w.lower.end());
    upper.insert(upper.end(), w.upper.begin(), w.upper.end());
    in = popops::pad(c.graph, in, lower, upper);
    w.lower.assign(w.lower.size(), 0);
    w.upper = w.lower;
  }
  c.output(pooled(c, in, popnn::PoolingType::AVG, w));
}

/// One window, of the size of the field.
Windows wholeField(const OperatorContext &c) {
  const Shape &shape = c.shape();
  const std::size_t n = shape.size() - 2;
  return {Shape(shape.begin() + 2, shape.end()), std::vector<unsigned>(n, 1),
          std::vector<unsigned>(n, 1), std::vector<int>(n, 0), std::vector<int>(n, 0)};
}

Lowering global(popnn::PoolingType type) {
  return [type](OperatorContext &c) {
    requireReal(c);
    c.output(pooled(c, c.tensor(), type, wholeField(c)));
  };
}

/// The root of the sum of the elements' powers in each window.
poplar::Tensor powersPooled(OperatorContext &c, const Windows &w) {
  const std::int64_t p = c.integer("p", 2);
  if (p < 1)
    c.fail("attribute 'p' = " + std::to_string(p) + " is not supported");
  const poplar::Tensor in = c.tensor();
  const pe::Any x = asFloat(in, 1), exponent = pe::Const(static_cast<float>(p)),
                inverse = pe::Const(1 / static_cast<float>(p));
  const poplar::Tensor powers =
      popops::map(c.graph, p == 2 ? pe::Any(pe::Square(x)) : pe::Any(pe::Pow(pe::Abs(x), exponent)),
                  {in}, c.prog, c.node.name);
  const poplar::Tensor sums = pooled(c, powers, popnn::PoolingType::SUM, w);
  const pe::Any root = p == 2 ? pe::Any(pe::Sqrt(pe::_1)) : pe::Any(pe::Pow(pe::_1, inverse));
  return popops::map(c.graph, ofType(root, in.elementType()), {sums}, c.prog, c.node.name);
}

void lpPool(OperatorContext &c) {
  requireReal(c);
  c.output(powersPooled(c, windowsOf(c, {})));
}

void globalLpPool(OperatorContext &c) {
  requireReal(c);
  c.output(powersPooled(c, wholeField(c)));
}

} // namespace

void addPooling(OperatorTable &table) {
  table["MaxPool"] = maxPool;
  table["AveragePool"] = averagePool;
  table["LpPool"] = lpPool;
  table["GlobalLpPool"] = globalLpPool;
  table["GlobalAveragePool"] = global(popnn::PoolingType::AVG);
  table["GlobalMaxPool"] = global(popnn::PoolingType::MAX);
}

} // namespace copse::onnx
