#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Multiplies matrices that have elements. Results that are integers are exact modulo 2^32.
/// \param left  [groups][m][k] \param right  [groups][k][n] \returns [groups][m][n]
poplar::Tensor groupedProduct(OperatorContext &c, const poplar::Tensor &left,
                              const poplar::Tensor &right);

} // namespace copse::onnx
