#include "matrix_products.hpp"

#include <poplin/MatMul.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

namespace copse::onnx {
namespace {

/// Sums products of integers, as many at a time as memory should hold. Sums are exact modulo 2^32.
/// \param left  [groups][m][k] \param right  [groups][k][n]
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
    // popops sums INT; the bits are the same.
    const poplar::Tensor part =
        popops::reduce(c.graph, products.reinterpret(poplar::INT), poplar::INT, {3},
                       popops::Operation::ADD, c.prog, c.node.name)
            .reinterpret(products.elementType());
    sum = begin == 0 ? part : popops::add(c.graph, sum, part, c.prog, c.node.name);
  }
  return sum;
}

} // namespace

poplar::Tensor groupedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right) {
  if (left.elementType() == poplar::FLOAT || left.elementType() == poplar::HALF)
    return poplin::matMulGrouped(c.graph, left, right, c.prog, left.elementType(), c.node.name);
  return integerProduct(c, left, right);
}

} // namespace copse::onnx
