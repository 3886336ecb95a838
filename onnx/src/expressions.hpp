#pragma once

#include "operator_context.hpp"

#include <popops/Expr.hpp>

namespace copse::onnx {

// Parts of the expressions that popops::map() takes, and what goes with them.

/// Operand \p number, from 1, as a real of the width that reals are computed in: halves as floats.
popops::expr::Any asFloat(const poplar::Tensor &operand, unsigned number);
/// The expression's value as an element of this type.
popops::expr::Any ofType(const popops::expr::Any &value, const poplar::Type &type);

/// The tensor itself, or a cast of it.
poplar::Tensor asType(OperatorContext &c, const poplar::Tensor &t, const poplar::Type &type);

/// The larger and the smaller of two. Of reals, NaN if one is NaN: popops' own drop it, as the hardware does.
popops::expr::Any larger(const popops::expr::Any &a, const popops::expr::Any &b,
                         const poplar::Type &type);
popops::expr::Any smaller(const popops::expr::Any &a, const popops::expr::Any &b,
                          const poplar::Type &type);

/// 0 for what is negative. NaN stays NaN. PopLibs has the codelets of this form for sums of up to three operands compiled.
popops::expr::Any reluOf(const popops::expr::Any &x);

/// A real in 32 bits that INT orders as numbers are ordered, 0 and -0 being equal. NaN becomes \p nan.
/// \param x  FLOAT or HALF
poplar::Tensor orderedKeys(OperatorContext &c, const poplar::Tensor &x, int nan);
/// The reals of such keys.
poplar::Tensor realsOfKeys(OperatorContext &c, const poplar::Tensor &keys,
                           const poplar::Type &type);

} // namespace copse::onnx
