#pragma once

#include "layer_context.hpp"

#include <cstdint>
#include <poplar/Program.hpp>

namespace transformer {

/// Drops elements while the model learns.
///
/// No mask is kept: poprand draws the same one again in the backward pass from the same seed, and
/// from the same reference, whose tile mapping is part of the draw.
class Dropout {
public:
  struct Kept {
    poplar::Tensor reference;
  };

  /// \param number  this dropout's number in the model: each draws other elements
  Dropout(LayerContext &context, std::uint32_t number, const std::string &name)
      : context_(context), number_(number), name_(name) {}

  /// \param seed  [2] of the micro-batch; null: the model is not learning, nothing is dropped
  poplar::Tensor forward(const poplar::Tensor &x, const poplar::Tensor *seed, Kept &kept,
                         poplar::program::Sequence &prog) const;
  poplar::Tensor backward(const Kept &kept, const poplar::Tensor &seed,
                          const poplar::Tensor &gradient, poplar::program::Sequence &prog) const;

private:
  poplar::Tensor drop(const poplar::Tensor &in, const poplar::Tensor &reference,
                      const poplar::Tensor &seed, poplar::program::Sequence &prog) const;

  LayerContext &context_;
  std::uint32_t number_;
  std::string name_;
};

} // namespace transformer
