#include "head.hpp"

#include <cmath>
#include <popnn/Loss.hpp>
#include <popnn/NonLinearity.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;

Head::Head(LayerContext &context)
    : context_(context), norm_(context, "head/norm"),
      projection_(context, context.shape.width, context.shape.alphabet,
                  0.5 / std::sqrt(static_cast<double>(context.shape.width)), "head/projection") {}

Tensor Head::forward(const Tensor &x, Kept &kept, Sequence &prog) const {
  kept.in = norm_.forward(x, kept.norm, prog);
  return projection_.forward(kept.in, prog);
}

void Head::addLoss(const Tensor &logits, const Tensor &labels, float gradientScale,
                   const Tensor &lossSum, Kept &kept, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const auto constant = [&](float value) {
    const Tensor t = graph.addConstant(FLOAT, {}, value, "head/scale");
    graph.setTileMapping(t, 0);
    return t;
  };
  const Tensor loss = graph.addVariable(FLOAT, {logits.dim(0)}, "head/loss");
  poputil::mapTensorLinearly(graph, loss);
  popnn::softmaxStableInPlace(graph, logits, prog, "head/softmax");
  kept.ofLogits = graph.clone(logits, "head/logitsGradient");
  prog.add(popnn::calcLoss(graph, logits, labels, loss, kept.ofLogits, constant(gradientScale),
                           constant(1), popnn::CROSS_ENTROPY_LOSS, "head/loss"));
  popops::reduceWithOutput(graph, loss, lossSum, {0}, {popops::Operation::ADD, true}, prog,
                           "head/lossSum");
}

Tensor Head::backward(const Kept &kept, Sequence &prog) const {
  return norm_.backward(kept.norm, projection_.backward(kept.in, kept.ofLogits, prog), prog);
}

} // namespace transformer
