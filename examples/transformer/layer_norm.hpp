#pragma once

#include "layer_context.hpp"

#include <poplar/Program.hpp>

namespace transformer {

/// Each row with mean 0 and variance 1, then times gamma, plus beta.
class LayerNorm {
public:
  /// The part of a forward pass that the backward pass needs.
  struct Kept {
    poplar::Tensor whitened, inverseDeviation;
  };

  LayerNorm(LayerContext &context, const std::string &name);

  poplar::Tensor forward(const poplar::Tensor &x, Kept &kept,
                         poplar::program::Sequence &prog) const;
  /// Adds to the gradients of gamma and beta. \returns the gradient with respect to x
  poplar::Tensor backward(const Kept &kept, const poplar::Tensor &gradient,
                          poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  std::string name_;
  Parameter gamma_, beta_;
};

} // namespace transformer
