#pragma once

#include "attention.hpp"
#include "dropout.hpp"
#include "layer_norm.hpp"
#include "linear.hpp"

namespace transformer {

/// Two layers with GELU between them, on each row.
class FeedForward {
public:
  struct Kept {
    poplar::Tensor in, hidden, activated;
  };

  FeedForward(LayerContext &context, const std::string &name);
  poplar::Tensor forward(const poplar::Tensor &x, Kept &kept,
                         poplar::program::Sequence &prog) const;
  poplar::Tensor backward(const Kept &kept, const poplar::Tensor &gradient,
                          poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  std::string name_;
  Linear first_, second_;
};

/// x + attention of x, then the same with the feed-forward layers; each norms what it reads.
class Block {
public:
  struct Kept {
    LayerNorm::Kept attentionNorm, feedForwardNorm;
    Attention::Kept attention;
    FeedForward::Kept feedForward;
    Dropout::Kept attentionDropout, feedForwardDropout;
  };

  /// \param number  this block's number in the model
  Block(LayerContext &context, unsigned number);

  /// \param seed  null: nothing is dropped
  poplar::Tensor forward(const poplar::Tensor &x, const poplar::Tensor *seed, Kept &kept,
                         poplar::program::Sequence &prog) const;
  poplar::Tensor backward(const Kept &kept, const poplar::Tensor &seed,
                          const poplar::Tensor &gradient, poplar::program::Sequence &prog) const;

private:
  LayerContext &context_;
  std::string name_;
  LayerNorm attentionNorm_;
  Attention attention_;
  Dropout attentionDropout_;
  LayerNorm feedForwardNorm_;
  FeedForward feedForward_;
  Dropout feedForwardDropout_;
};

} // namespace transformer
