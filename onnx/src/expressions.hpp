#pragma once

#include "operator_context.hpp"

#include <popops/Expr.hpp>

namespace copse::onnx {

// Parts of expressions for popops::map(), and related functions.

/// Returns operand \p number, counted from 1, as a float.
popops::expr::Any asFloat(const poplar::Tensor &operand, unsigned number);
/// Returns the value as an element of \p type.
/// \param value  FLOAT
popops::expr::Any ofType(const popops::expr::Any &value, const poplar::Type &type);

/// Returns the tensor itself if it has this type, else a cast of it.
poplar::Tensor asType(OperatorContext &c, const poplar::Tensor &t, const poplar::Type &type);

/// Return the larger and the smaller of two, and NaN if one of them is NaN. The operations of
/// popops drop NaN, as the hardware does.
/// \param type  type of both operands
popops::expr::Any larger(const popops::expr::Any &a, const popops::expr::Any &b,
                         const poplar::Type &type);
popops::expr::Any smaller(const popops::expr::Any &a, const popops::expr::Any &b,
                          const poplar::Type &type);

/// Returns 0 for negative numbers, and NaN for NaN. PopLibs has precompiled codelets for this form
/// with sums of up to three operands.
popops::expr::Any reluOf(const popops::expr::Any &x);

/// Returns INT keys that are ordered as the reals are, with equal keys for 0 and -0. NaN becomes \p
/// nan.
/// \param x  FLOAT or HALF
poplar::Tensor orderedKeys(OperatorContext &c, const poplar::Tensor &x, int nan);
/// Returns the reals for the keys.
poplar::Tensor realsOfKeys(OperatorContext &c, const poplar::Tensor &keys,
                           const poplar::Type &type);

} // namespace copse::onnx
