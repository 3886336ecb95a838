#include "block.hpp"

#include <cmath>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>

namespace transformer {

using poplar::Tensor;
using poplar::program::Sequence;
using popnn::NonLinearityType;

FeedForward::FeedForward(LayerContext &context, const std::string &name)
    : context_(context), name_(name),
      first_(context, context.shape.width, 4 * context.shape.width,
             std::sqrt(1.0 / static_cast<double>(context.shape.width)), name + "/first"),
      second_(context, 4 * context.shape.width, context.shape.width,
              std::sqrt(0.125 / static_cast<double>(context.shape.width * context.shape.blocks)),
              name + "/second") {}

Tensor FeedForward::forward(const Tensor &x, Kept &kept, Sequence &prog) const {
  kept.in = x;
  kept.hidden = first_.forward(x, prog);
  kept.activated =
      popnn::nonLinearity(context_.graph, NonLinearityType::GELU, kept.hidden, prog, name_);
  return second_.forward(kept.activated, prog);
}

Tensor FeedForward::backward(const Kept &kept, const Tensor &gradient, Sequence &prog) const {
  const Tensor ofActivated = second_.backward(kept.activated, gradient, prog);
  const Tensor ofHidden = popnn::nonLinearityInputGradient(context_.graph, NonLinearityType::GELU,
                                                           kept.hidden, ofActivated, prog, name_);
  return first_.backward(kept.in, ofHidden, prog);
}

Block::Block(LayerContext &context, unsigned number)
    : context_(context), name_("block" + std::to_string(number)),
      attentionNorm_(context, name_ + "/attentionNorm"), attention_(context, name_ + "/attention"),
      attentionDropout_(context, 2 * number + 1, name_ + "/attentionDropout"),
      feedForwardNorm_(context, name_ + "/feedForwardNorm"),
      feedForward_(context, name_ + "/feedForward"),
      feedForwardDropout_(context, 2 * number + 2, name_ + "/feedForwardDropout") {}

Tensor Block::forward(const Tensor &x, const Tensor *seed, Kept &kept, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const Tensor attended =
      attention_.forward(attentionNorm_.forward(x, kept.attentionNorm, prog), kept.attention, prog);
  const Tensor middle =
      popops::add(graph, x, attentionDropout_.forward(attended, seed, kept.attentionDropout, prog),
                  prog, name_);
  const Tensor fed = feedForward_.forward(
      feedForwardNorm_.forward(middle, kept.feedForwardNorm, prog), kept.feedForward, prog);
  return popops::add(graph, middle,
                     feedForwardDropout_.forward(fed, seed, kept.feedForwardDropout, prog), prog,
                     name_);
}

Tensor Block::backward(const Kept &kept, const Tensor &seed, const Tensor &gradient,
                       Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const Tensor ofFed = feedForwardDropout_.backward(kept.feedForwardDropout, seed, gradient, prog);
  const Tensor ofMiddle = popops::add(
      graph, gradient,
      feedForwardNorm_.backward(kept.feedForwardNorm,
                                feedForward_.backward(kept.feedForward, ofFed, prog), prog),
      prog, name_);
  const Tensor ofAttended = attentionDropout_.backward(kept.attentionDropout, seed, ofMiddle, prog);
  return popops::add(graph, ofMiddle,
                     attentionNorm_.backward(kept.attentionNorm,
                                             attention_.backward(kept.attention, ofAttended, prog),
                                             prog),
                     prog, name_);
}

} // namespace transformer
