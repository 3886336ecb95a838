// Products of matrices and convolutions of integers of eight bits. Their sums are exact, in 32
// bits.
#include "matrix_products.hpp"
#include "operators.hpp"
#include "quantization.hpp"
#include "windows.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Pad.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using poplar::Tensor;

/// Returns a zero point or a scale of an operand: one value for all elements, or one for each index
/// of dimension \p axis.
Tensor along(OperatorContext &c, const Tensor &t, std::size_t axis, const Shape &operand) {
  if (t.numElements() == 1)
    return t.reshape({});
  if (t.rank() != 1 || t.numElements() != operand[axis])
    c.fail("a scale or a zero point of shape " + textOf(t.shape()) +
           " does not fit an operand of " + textOf(operand) + " along dimension " +
           std::to_string(axis));
  Shape shape(operand.size(), 1);
  shape[axis] = t.numElements();
  return t.reshape(shape);
}

/// Returns input \p i minus its zero point, which is the optional input \p zero.
Tensor centred(OperatorContext &c, std::size_t i, std::size_t zero, std::size_t axis) {
  const Tensor t = c.tensor(i);
  if (!c.has(zero))
    return t;
  return popops::sub(c.graph, t, along(c, c.tensor(zero), axis, t.shape()), c.prog, c.node.name);
}

/// Outputs sums in the quantization of the last three inputs: multiplied by \p scale, divided by
/// the result's scale, and with its zero point added.
void outputRequantized(OperatorContext &c, const Tensor &sums, const Tensor &scale,
                       std::size_t resultScale, std::size_t resultZero) {
  if (c.shape(resultScale) != Shape{} && elementsOf(c.shape(resultScale)) != 1)
    c.fail("the scale of the result is no scalar");
  const Tensor reals =
      popops::map(c.graph, pe::Divide(pe::Mul(pe::Cast(pe::_1, poplar::FLOAT), pe::_2), pe::_3),
                  {sums, scale, c.tensor(resultScale).reshape({})}, c.prog, c.node.name);
  c.outputInRange(quantized(c, reals, c.tensor(resultZero).reshape({}), c.type(resultZero)),
                  c.type(resultZero));
}

Tensor product(OperatorContext &c, const Tensor &left, const Tensor &right) {
  const ProductShapes shapes = productShapes(c, left.shape(), right.shape());
  if (elementsOf(shapes.result) == 0 || shapes.left.back() == 0)
    c.fail("operands of shapes " + textOf(left.shape()) + " and " + textOf(right.shape()) +
           " have no elements");
  return stackedProduct(c, left, right, shapes);
}

void matMulInteger(OperatorContext &c) {
  const std::size_t left = c.shape(0).size(), right = c.shape(1).size();
  c.output(product(c, centred(c, 0, 2, left < 2 ? 0 : left - 2),
                   centred(c, 1, 3, right < 1 ? 0 : right - 1)),
           ElementType::Int32);
}

/// Lowers QLinearMatMul. Inputs: a, its scale and zero point; b, its scale and zero point; the
/// result's scale and zero point.
void qLinearMatMul(OperatorContext &c) {
  const std::size_t left = c.shape(0).size(), right = c.shape(3).size();
  if (left < 2 || right < 2)
    c.fail("operands of shapes " + textOf(c.shape(0)) + " and " + textOf(c.shape(3)) +
           " are no matrices");
  const Tensor sums = product(c, centred(c, 0, 2, left - 2), centred(c, 3, 5, right - 1));
  const Tensor scale =
      popops::mul(c.graph, along(c, c.tensor(1), sums.rank() - 2, sums.shape()),
                  along(c, c.tensor(4), sums.rank() - 1, sums.shape()), c.prog, c.node.name);
  outputRequantized(c, sums, scale, 6, 7);
}

/// Returns the elements that a position of the kernel meets in all windows.
/// \param place  position in the kernel, by dimension
Tensor metBy(const Tensor &padded, const Windows &w, const Shape &place, const Shape &counts) {
  Tensor met = padded;
  for (unsigned d = 0; d < place.size(); ++d) {
    const std::size_t begin = place[d] * w.dilations[d], stride = w.strides[d];
    met = met.slice(begin, begin + (counts[d] - 1) * stride + 1, d + 2)
              .subSample(w.strides[d], d + 2);
  }
  return met;
}

/// Returns the number of windows in each dimension.
Shape windowCounts(const OperatorContext &c, const Tensor &padded, const Windows &w) {
  Shape counts;
  for (unsigned d = 0; d < w.kernel.size(); ++d) {
    const std::size_t extent = w.dilations[d] * (w.kernel[d] - 1) + 1, size = padded.dim(d + 2);
    if (size < extent)
      c.fail("a kernel of " + textOf(w.kernel) + " does not fit an input of " + textOf(c.shape(0)));
    counts.push_back((size - extent) / w.strides[d] + 1);
  }
  return counts;
}

/// Convolves by groups, as a product of weights [outputs][inputs * places] and elements [inputs *
/// places][batch * windows].
Tensor convolution(OperatorContext &c, const Tensor &in, const Tensor &weights) {
  const auto groups = static_cast<std::size_t>(c.integer("group", 1));
  if (in.rank() < 3 || weights.rank() != in.rank() || groups == 0 || weights.dim(0) % groups != 0 ||
      in.dim(1) != weights.dim(1) * groups)
    c.fail("input " + textOf(in.shape()) + " and weights " + textOf(weights.shape()) + " in " +
           std::to_string(groups) + " groups do not fit");
  const Shape shape = weights.shape();
  const Windows w = windowsOf(c, Shape(shape.begin() + 2, shape.end()));
  std::vector<std::ptrdiff_t> lower(2, 0), upper(2, 0);
  lower.insert(lower.end(), w.lower.begin(), w.lower.end());
  upper.insert(upper.end(), w.upper.begin(), w.upper.end());
  const Tensor padded = popops::pad(c.graph, in, lower, upper, 0);
  const Shape counts = windowCounts(c, padded, w);
  const std::size_t places = elementsOf(w.kernel), windows = elementsOf(counts),
                    inputs = weights.dim(1), outputs = weights.dim(0) / groups, batch = in.dim(0);
  std::vector<Tensor> met; // by position in the kernel: [batch][channels][windows]
  Shape place(w.kernel.size(), 0);
  for (std::size_t i = 0; i < places; ++i) {
    met.push_back(metBy(padded, w, place, counts).reshape({1, batch, in.dim(1), windows}));
    for (std::size_t d = place.size(); d-- > 0 && ++place[d] == w.kernel[d];)
      place[d] = 0;
  }
  const Tensor elements = poplar::concat(met, 0)
                              .reshape({places, batch, groups, inputs, windows})
                              .dimShuffle({2, 3, 0, 1, 4})
                              .reshape({groups, inputs * places, batch * windows});
  Shape result = {batch, weights.dim(0)};
  result.insert(result.end(), counts.begin(), counts.end());
  return groupedProduct(c, weights.reshape({groups, outputs, inputs * places}), elements)
      .reshape({weights.dim(0), batch, windows})
      .dimShuffle({1, 0, 2})
      .reshape(result);
}

void convInteger(OperatorContext &c) {
  c.output(convolution(c, centred(c, 0, 2, 1), centred(c, 1, 3, 0)), ElementType::Int32);
}

/// Lowers QLinearConv. Inputs: x, its scale and zero point; the weights, their scale and zero
/// point; the result's scale and zero point; and a bias.
void qLinearConv(OperatorContext &c) {
  Tensor sums = convolution(c, centred(c, 0, 2, 1), centred(c, 3, 5, 0));
  if (c.has(8))
    sums = popops::add(c.graph, sums, along(c, c.tensor(8), 1, sums.shape()), c.prog, c.node.name);
  const Tensor scale = popops::mul(c.graph, along(c, c.tensor(1), 1, sums.shape()),
                                   along(c, c.tensor(4), 1, sums.shape()), c.prog, c.node.name);
  outputRequantized(c, sums, scale, 6, 7);
}

} // namespace

void addQuantizedProducts(OperatorTable &table) {
  table["MatMulInteger"] = matMulInteger;
  table["QLinearMatMul"] = qLinearMatMul;
  table["ConvInteger"] = convInteger;
  table["QLinearConv"] = qLinearConv;
}

} // namespace copse::onnx
