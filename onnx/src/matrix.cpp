// Matrix products.
#include "expressions.hpp"
#include "matrix_products.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <cmath>
#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// Multiplies [m][k] by [k][n]. A constant right operand is laid out for the product.
poplar::Tensor product(OperatorContext &c, const poplar::Tensor &left, bool transposesRight,
                       const poplar::Type &type) {
  const Shape &right = c.shape(1);
  const std::size_t k = right[transposesRight ? 1 : 0], n = right[transposesRight ? 0 : 1];
  if (!isReal(c.type())) {
    const poplar::Tensor b = transposesRight ? c.tensor(1).transpose() : c.tensor(1);
    return groupedProduct(c, left.expand({0}), b.expand({0}))[0];
  }
  const poplar::Tensor b = c.weights(1, [&] {
    const poplar::Tensor t = poplin::createMatMulInputRHS(c.graph, left.elementType(), left.shape(),
                                                          {k, n}, c.node.inputs[1]);
    return transposesRight ? t.transpose() : t;
  });
  return poplin::matMul(c.graph, left, transposesRight ? b.transpose() : b, c.prog, type,
                        c.node.name);
}

void matMul(OperatorContext &c) {
  const ProductShapes shapes = productShapes(c, c.shape(0), c.shape(1));
  const std::size_t k = shapes.left.back();
  if (elementsOf(shapes.result) == 0 || k == 0)
    return c.outputFilled(0, shapes.result, c.type());
  if (c.shape(1).size() != 2)
    return c.output(stackedProduct(c, c.tensor(0), c.tensor(1), shapes));
  const poplar::Tensor rows = c.tensor(0).reshape({elementsOf(c.shape(0)) / k, k});
  c.output(product(c, rows, false, rows.elementType()).reshape(shapes.result));
}

poplar::Tensor zeros(OperatorContext &c, const poplar::Type &type, const Shape &shape) {
  const poplar::Tensor t = c.graph.addConstant(type, shape, 0);
  poputil::mapTensorLinearly(c.graph, t);
  return t;
}

/// Scales the product of halves, and adds the third input, in floats.
void gemm(OperatorContext &c) {
  const bool transposesLeft = c.integer("transA", 0) != 0,
             transposesRight = c.integer("transB", 0) != 0;
  if (c.shape(0).size() != 2 || c.shape(1).size() != 2)
    c.fail("operands of shapes " + textOf(c.shape(0)) + " and " + textOf(c.shape(1)) +
           " are no matrices");
  const poplar::Tensor a = transposesLeft ? c.tensor(0).transpose() : c.tensor(0);
  const std::size_t k = a.dim(1);
  if (c.shape(1)[transposesRight ? 1 : 0] != k)
    c.fail("matrices of shapes " + textOf(c.shape(0)) + " and " + textOf(c.shape(1)) +
           " have no product");
  const Shape shape = {a.dim(0), c.shape(1)[transposesRight ? 0 : 1]};
  const float alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  if (elementsOf(shape) == 0 || (k == 0 && !c.has(2))) {
    c.inputWithoutEffect(2);
    return c.outputFilled(0, shape, c.type());
  }
  const bool isPlain = alpha == 1 && !c.has(2);
  if (!isReal(c.type()) && (alpha != std::floor(alpha) || (c.has(2) && beta != std::floor(beta))))
    c.fail("alpha or beta is no integer, as the elements are");
  const poplar::Type type = deviceType(c.type()),
                     wide = type == poplar::HALF && !isPlain ? poplar::FLOAT : type;
  const auto scalar = [&](float value) { return scalarConstant(c, wide, double{value}); };
  poplar::Tensor out = k == 0 ? zeros(c, wide, shape) : product(c, a, transposesRight, wide);
  if (alpha != 1)
    out = popops::mul(c.graph, out, scalar(alpha), c.prog, c.node.name);
  if (c.has(2)) {
    const poplar::Tensor added = c.tensor(2);
    const Shape &from = c.shape(2);
    if (c.opset < 7 && c.integer("broadcast", 0) == 0 && from != shape)
      c.fail("input C of shape " + textOf(from) + " is no " + textOf(shape) +
             ", and attribute 'broadcast' is not set");
    for (std::size_t d = 0; d < from.size(); ++d)
      if (from.size() > 2 || (from[d] != 1 && from[d] != shape[2 - from.size() + d]))
        c.fail("input 2 of shape " + textOf(from) + " does not broadcast to " + textOf(shape));
    const pe::Any addend = isReal(c.type()) ? asFloat(added, 2) : pe::Any(pe::_2);
    out = beta == 1
              ? popops::map(c.graph, pe::Add(pe::_1, addend), {out, added}, c.prog, c.node.name)
              : popops::map(c.graph, pe::Add(pe::_1, pe::Mul(addend, pe::_3)),
                            {out, added, scalar(beta)}, c.prog, c.node.name);
  }
  c.output(asType(c, out, type));
}

} // namespace

void addMatrixOperators(OperatorTable &table) {
  table["MatMul"] = matMul;
  table["Gemm"] = gemm;
}

} // namespace copse::onnx
