// Matrix products.
#include "operators.hpp"

#include <poplin/MatMul.hpp>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

poplar::Tensor asReal(OperatorContext &c, const poplar::Tensor &t) {
  return t.elementType() == poplar::FLOAT || t.elementType() == poplar::HALF
             ? t
             : popops::cast(c.graph, t, poplar::FLOAT, c.prog, c.node.name);
}

/// [m][k] times [k][n], with a constant right operand laid out for it.
poplar::Tensor product(OperatorContext &c, const poplar::Tensor &left, bool transposesRight) {
  const Shape &right = c.shape(1);
  const std::size_t k = right[transposesRight ? 1 : 0], n = right[transposesRight ? 0 : 1];
  if (left.dim(1) != k)
    c.fail("matrices of shapes " + textOf(c.shape(0)) + " and " + textOf(right) +
           " have no product");
  const bool arranged = isReal(c.type(1)) && elementsOf(right) > 0;
  poplar::Tensor b = arranged ? c.weights(1,
                                          [&] {
                                            const poplar::Tensor t = poplin::createMatMulInputRHS(
                                                c.graph, left.elementType(), left.shape(), {k, n},
                                                c.node.inputs[1]);
                                            return transposesRight ? t.transpose() : t;
                                          })
                              : asReal(c, c.tensor(1));
  return poplin::matMul(c.graph, left, transposesRight ? b.transpose() : b, c.prog, c.node.name);
}

void outputOfType(OperatorContext &c, const poplar::Tensor &result) {
  c.output(isReal(c.type()) ? result : popops::cast(c.graph, result, deviceType(c.type()), c.prog));
}

/// Both operands with the same leading dimensions, flattened to one.
poplar::Tensor groups(const poplar::Tensor &t, const Shape &leading) {
  poplar::Tensor result = t;
  while (result.rank() < leading.size() + 2)
    result = result.expand({0});
  for (unsigned d = 0; d < leading.size(); ++d)
    if (result.dim(d) == 1 && leading[d] != 1)
      result = result.broadcast(static_cast<unsigned>(leading[d]), d);
  return result.reshape({elementsOf(leading), t.dim(t.rank() - 2), t.dim(t.rank() - 1)});
}

Shape leadingDimensions(OperatorContext &c, const Shape &a, const Shape &b) {
  const std::size_t rank = std::max(a.size(), b.size()) - 2;
  Shape leading(rank, 1);
  for (const Shape *shape : {&a, &b})
    for (std::size_t d = 0; d + 2 < shape->size(); ++d) {
      std::size_t &size = leading[rank + 2 - shape->size() + d];
      if (size != 1 && (*shape)[d] != 1 && (*shape)[d] != size)
        c.fail("leading dimensions of " + textOf(a) + " and " + textOf(b) + " do not match");
      size = size == 1 ? (*shape)[d] : size;
    }
  return leading;
}

void matMul(OperatorContext &c) {
  poplar::Tensor a = asReal(c, c.tensor(0));
  const bool rowVector = a.rank() == 1, columnVector = c.shape(1).size() == 1;
  if (rowVector)
    a = a.expand({0});
  Shape result = a.shape();
  if (c.shape(1).size() == 2) {
    result.back() = c.shape(1)[1];
    const Shape rows = {a.numElements() / std::max<std::size_t>(1, a.dim(a.rank() - 1)),
                        a.dim(a.rank() - 1)};
    const poplar::Tensor out = product(c, a.reshape(rows), false).reshape(result);
    return outputOfType(c, rowVector ? out.squeeze({out.rank() - 2}) : out);
  }
  poplar::Tensor b = asReal(c, c.tensor(1));
  if (columnVector)
    b = b.expand({1});
  Shape leading = leadingDimensions(c, a.shape(), b.shape());
  const std::size_t m = a.dim(a.rank() - 2), n = b.dim(b.rank() - 1);
  poplar::Tensor out = poplin::matMulGrouped(c.graph, groups(a, leading), groups(b, leading),
                                             c.prog, a.elementType(), c.node.name);
  if (!rowVector)
    leading.push_back(m);
  if (!columnVector)
    leading.push_back(n);
  outputOfType(c, out.reshape(leading));
}

void gemm(OperatorContext &c) {
  const poplar::Tensor a = asReal(c, c.tensor(0));
  poplar::Tensor out =
      product(c, c.integer("transA", 0) != 0 ? a.transpose() : a, c.integer("transB", 0) != 0);
  const float alpha = c.real("alpha", 1), beta = c.real("beta", 1);
  if (alpha != 1)
    out = popops::map(c.graph, pe::_1 * pe::Const(alpha), {out}, c.prog, c.node.name);
  if (c.has(2)) {
    const poplar::Tensor added = asReal(c, c.tensor(2));
    out = beta == 1 ? popops::add(c.graph, out, added, c.prog, c.node.name)
                    : popops::map(c.graph, pe::_1 + pe::_2 * pe::Const(beta), {out, added}, c.prog,
                                  c.node.name);
  }
  outputOfType(c, out);
}

} // namespace

void addMatrixOperators(OperatorTable &table) {
  table["MatMul"] = matMul;
  table["Gemm"] = gemm;
}

} // namespace copse::onnx
