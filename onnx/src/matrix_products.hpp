#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Returns the sums over \p dims, in the type of \p t. Sums of integers are exact modulo 2^32.
poplar::Tensor summed(OperatorContext &c, const poplar::Tensor &t,
                      const std::vector<std::size_t> &dims);

/// Multiplies non-empty matrices. Integer results are exact modulo 2^32.
/// \param left   [groups][m][k]
/// \param right  [groups][k][n]
/// \returns [groups][m][n]
poplar::Tensor groupedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right);

/// The shapes of a product whose operands have any number of dimensions, as in NumPy's matmul.
struct ProductShapes {
  Shape left, right; ///< with at least two dimensions
  /// The dimensions before the matrices, broadcast; and all dimensions of the result.
  Shape leading, result;
};
/// \throws ModelError  if the operands cannot be multiplied
ProductShapes productShapes(const OperatorContext &c, const Shape &left, const Shape &right);
/// Returns the product of non-empty operands.
poplar::Tensor stackedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right, const ProductShapes &shapes);

} // namespace copse::onnx
