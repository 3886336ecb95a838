#include "matrix_products.hpp"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

/// Multiplies matrices of integers, with a limited number of products at a time, which need memory.
/// Sums are exact modulo 2^32.
/// \param left   [groups][m][k]
/// \param right  [groups][k][n]
poplar::Tensor integerProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right) {
  constexpr std::size_t kProducts = std::size_t{1} << 20;
  const std::size_t k = left.dim(2), outputs = left.dim(0) * left.dim(1) * right.dim(2);
  const std::size_t step = std::clamp<std::size_t>(kProducts / outputs, 1, k);
  poplar::Tensor sum;
  for (std::size_t begin = 0; begin < k; begin += step) {
    const std::size_t end = std::min(k, begin + step);
    const poplar::Tensor products = popops::mul(
        c.graph, left.slice(begin, end, 2).expand({2}),
        right.slice(begin, end, 1).dimShuffle({0, 2, 1}).expand({1}), c.prog, c.node.name);
    const poplar::Tensor part = summed(c, products, {3});
    sum = begin == 0 ? part : popops::add(c.graph, sum, part, c.prog, c.node.name);
  }
  return sum;
}

/// Returns an operand with its leading dimensions broadcast to \p leading and flattened to one.
poplar::Tensor groups(const poplar::Tensor &t, const Shape &leading) {
  poplar::Tensor result = t;
  while (result.rank() < leading.size() + 2)
    result = result.expand({0});
  for (unsigned d = 0; d < leading.size(); ++d)
    if (result.dim(d) == 1 && leading[d] != 1)
      result = result.broadcast(static_cast<unsigned>(leading[d]), d);
  return result.reshape({elementsOf(leading), t.dim(t.rank() - 2), t.dim(t.rank() - 1)});
}

Shape leadingDimensions(const OperatorContext &c, const Shape &a, const Shape &b) {
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

} // namespace

/// Sums elements. Unsigned numbers are summed as INT, which popops supports, with identical bits.
poplar::Tensor summed(OperatorContext &c, const poplar::Tensor &t,
                      const std::vector<std::size_t> &dims) {
  const poplar::Type type = t.elementType();
  const bool hasNoSign = type == poplar::UNSIGNED_INT;
  const poplar::Tensor from = hasNoSign ? t.reinterpret(poplar::INT) : t;
  const poplar::Tensor sums = popops::reduce(c.graph, from, from.elementType(), dims,
                                             popops::Operation::ADD, c.prog, c.node.name);
  return hasNoSign ? sums.reinterpret(type) : sums;
}

ProductShapes productShapes(const OperatorContext &c, const Shape &left, const Shape &right) {
  if (left.empty() || right.empty())
    c.fail("a scalar is no operand of a product of matrices");
  ProductShapes shapes{left, right, {}, {}};
  if (left.size() == 1)
    shapes.left.insert(shapes.left.begin(), 1);
  if (right.size() == 1)
    shapes.right.push_back(1);
  if (shapes.right[shapes.right.size() - 2] != shapes.left.back())
    c.fail("matrices of shapes " + textOf(left) + " and " + textOf(right) + " have no product");
  shapes.leading = leadingDimensions(c, shapes.left, shapes.right);
  shapes.result = shapes.leading;
  if (left.size() > 1)
    shapes.result.push_back(shapes.left[shapes.left.size() - 2]);
  if (right.size() > 1)
    shapes.result.push_back(shapes.right.back());
  return shapes;
}

poplar::Tensor stackedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right, const ProductShapes &shapes) {
  return groupedProduct(c, groups(left.reshape(shapes.left), shapes.leading),
                        groups(right.reshape(shapes.right), shapes.leading))
      .reshape(shapes.result);
}

poplar::Tensor groupedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right) {
  if (left.elementType() == poplar::FLOAT || left.elementType() == poplar::HALF)
    return poplin::matMulGrouped(c.graph, left, right, c.prog, left.elementType(), c.node.name);
  return integerProduct(c, left, right);
}

} // namespace copse::onnx
