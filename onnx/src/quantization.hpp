#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Converts reals, which were divided by the scale, to integers of 8 or 16 bits: rounds to even,
/// adds the zero point and clamps to the type's range. NaN becomes the lowest integer.
/// \param reals      FLOAT
/// \param zeroPoint  broadcast to \p reals; an invalid tensor: none
/// \returns INT
poplar::Tensor quantized(OperatorContext &c, const poplar::Tensor &reals,
                         const poplar::Tensor &zeroPoint, ElementType type);

} // namespace copse::onnx
