#pragma once

namespace popnn {

/// Functions of elements, and softmax of rows.
enum class NonLinearityType {
  /// 1 / (1 + exp(-x))
  SIGMOID,
  /// x / 5 + 1/2, from 0 to 1
  HARD_SIGMOID,
  /// max(x, 0)
  RELU,
  /// The hyperbolic tangent.
  TANH,
  /// The Gaussian error linear unit, approximated by the hyperbolic tangent.
  GELU,
  /// x / (1 + exp(-x))
  SWISH,
  /// Without subtracting the maximum: may overflow.
  SOFTMAX,
  /// Subtracts each row's maximum first.
  SOFTMAX_STABLE,
  /// Stable, times 62000, which keeps small halves normal.
  SOFTMAX_SCALED
};

} // namespace popnn
