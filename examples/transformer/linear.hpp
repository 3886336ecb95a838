#pragma once

#include "layer_context.hpp"

#include <poplar/Program.hpp>

namespace transformer {

/// y = x W + b for each row x.
class Linear {
public:
  Linear(LayerContext &context, std::size_t inputs, std::size_t outputs, double deviation,
         const std::string &name);

  /// \param x  [rows][inputs]
  poplar::Tensor forward(const poplar::Tensor &x, poplar::program::Sequence &prog) const;

  /// Adds to the gradients of W and b.
  /// \param gradient  with respect to y. \returns the gradient with respect to \p x
  poplar::Tensor backward(const poplar::Tensor &x, const poplar::Tensor &gradient,
                          poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  std::string name_;
  Parameter weights_, bias_;
};

} // namespace transformer
