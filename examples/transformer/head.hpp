#pragma once

#include "layer_norm.hpp"
#include "linear.hpp"

namespace transformer {

/// The end of the model: for each row, how likely each character is to come next.
class Head {
public:
  struct Kept {
    LayerNorm::Kept norm;
    poplar::Tensor in;
    poplar::Tensor ofLogits; ///< the gradient of the loss with respect to the logits
  };

  explicit Head(LayerContext &context);

  /// \returns logits, [rows][alphabet]
  poplar::Tensor forward(const poplar::Tensor &x, Kept &kept,
                         poplar::program::Sequence &prog) const;

  /// Cross entropy of the logits, which are overwritten.
  /// \param labels        UNSIGNED_INT [rows], the characters that did come next
  /// \param gradientScale factor of the gradient with respect to the loss of one row
  /// \param lossSum       FLOAT {}, gets the rows' losses added
  void addLoss(const poplar::Tensor &logits, const poplar::Tensor &labels, float gradientScale,
               const poplar::Tensor &lossSum, Kept &kept, poplar::program::Sequence &prog) const;

  /// \returns the gradient with respect to x
  poplar::Tensor backward(const Kept &kept, poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  LayerNorm norm_;
  Linear projection_;
};

} // namespace transformer
