#pragma once

#include "linear.hpp"

namespace transformer {

/// Causal self-attention with several heads: a character looks at itself and those before it.
class Attention {
public:
  struct Kept {
    poplar::Tensor in;
    poplar::Tensor queries, keys, values; ///< [batch x heads][context][head width]
    poplar::Tensor weights;               ///< [batch x heads][context][context], rows sum up to 1
    poplar::Tensor joined;                ///< the heads' results side by side, [rows][width]
  };

  Attention(LayerContext &context, const std::string &name);

  poplar::Tensor forward(const poplar::Tensor &x, Kept &kept,
                         poplar::program::Sequence &prog) const;
  poplar::Tensor backward(const Kept &kept, const poplar::Tensor &gradient,
                          poplar::program::Sequence &prog) const;

private:
  poplar::Tensor product(const poplar::Tensor &a, const poplar::Tensor &b, const char *what,
                         poplar::program::Sequence &prog) const;
  poplar::Tensor split(const poplar::Tensor &rows, std::size_t parts) const;
  poplar::Tensor join(const poplar::Tensor &heads, std::size_t parts) const;

  LayerContext &context_;
  std::string name_;
  Linear inputs_, output_;
  poplar::Tensor mask_; ///< [context][context]: 0 where a row may look, else hugely negative
};

} // namespace transformer
