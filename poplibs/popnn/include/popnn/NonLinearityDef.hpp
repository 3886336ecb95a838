#pragma once

namespace popnn {

enum class NonLinearityType {
  SIGMOID,
  HARD_SIGMOID,
  RELU,
  TANH,
  GELU, ///< by the hyperbolic tangent
  SWISH,
  SOFTMAX,        ///< without subtracting the maximum: may overflow
  SOFTMAX_STABLE, ///< subtracts each row's maximum first
  SOFTMAX_SCALED  ///< stable, times 62000, which keeps small halves normal
};

} // namespace popnn
