#include "dropout.hpp"

#include <poprand/RandomGen.hpp>

namespace transformer {

using poplar::Tensor;
using poplar::program::Sequence;

Tensor Dropout::drop(const Tensor &in, const Tensor &reference, const Tensor &seed,
                     Sequence &prog) const {
  const double kept = 1 - context_.shape.dropout;
  return poprand::dropout(context_.graph, &seed, number_, in, reference, kept, 1 / kept, prog,
                          name_);
}

Tensor Dropout::forward(const Tensor &x, const Tensor *seed, Kept &kept, Sequence &prog) const {
  kept.reference = x;
  if (seed == nullptr || context_.shape.dropout == 0)
    return x;
  return drop(x, kept.reference, *seed, prog);
}

Tensor Dropout::backward(const Kept &kept, const Tensor &seed, const Tensor &gradient,
                         Sequence &prog) const {
  if (context_.shape.dropout == 0)
    return gradient;
  return drop(gradient, kept.reference, seed, prog);
}

} // namespace transformer
