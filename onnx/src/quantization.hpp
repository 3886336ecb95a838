#pragma once

#include "operator_context.hpp"

namespace copse::onnx {

/// Reals, which were divided by the scale, as integers of 8 or 16 bits: rounded to even, moved by the zero point and kept
/// in the type's range. NaN becomes the lowest integer.
/// \param reals  FLOAT \param zeroPoint  broadcasts to \p reals; an invalid tensor: none
/// \returns INT
poplar::Tensor quantized(OperatorContext &c, const poplar::Tensor &reals,
                         const poplar::Tensor &zeroPoint, ElementType type);

} // namespace copse::onnx
