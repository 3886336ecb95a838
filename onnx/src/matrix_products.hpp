#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Returns the sums over \p dims, in the type of \p t. Sums of integers are exact modulo 2^32.
poplar::Tensor summed(OperatorContext &c, const poplar::Tensor &t,
                      const std::vector<std::size_t> &dims);

/// Multiplies matrices that have elements. Results that are integers are exact modulo 2^32.
/// \param left  [groups][m][k] \param right  [groups][k][n] \returns [groups][m][n]
poplar::Tensor groupedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right);

/// The shapes of a product whose operands have any number of dimensions, as NumPy's matmul has it.
struct ProductShapes {
  Shape left, right;     ///< with at least two dimensions
  Shape leading, result; ///< the dimensions before the matrices, broadcast; all of the result
};
/// \throws ModelError if the operands have no product
ProductShapes productShapes(const OperatorContext &c, const Shape &left, const Shape &right);
/// Returns the product of operands that have elements.
poplar::Tensor stackedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right, const ProductShapes &shapes);

} // namespace copse::onnx
