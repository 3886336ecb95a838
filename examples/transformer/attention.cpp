#include "attention.hpp"

#include <cmath>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Expr.hpp>
#include <poputil/TileMapping.hpp>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

namespace {

Tensor transposed(const Tensor &groups) { return groups.dimShuffle({0, 2, 1}); }

Tensor causalMask(poplar::Graph &graph, std::size_t context, const std::string &name) {
  std::vector<float> values(context * context, 0.0f);
  for (std::size_t row = 0; row != context; ++row)
    for (std::size_t column = row + 1; column != context; ++column)
      values[row * context + column] = -1e9f;
  const Tensor mask = graph.addConstant<float>(FLOAT, {context, context}, values, name);
  poputil::mapTensorLinearly(graph, mask);
  return mask;
}

} // namespace

Attention::Attention(LayerContext &context, const std::string &name)
    : context_(context), name_(name),
      inputs_(context, context.shape.width, 3 * context.shape.width,
              std::sqrt(1.0 / static_cast<double>(context.shape.width)), name + "/inputs"),
      output_(context, context.shape.width, context.shape.width,
              std::sqrt(0.5 / static_cast<double>(context.shape.width * context.shape.blocks)),
              name + "/output"),
      mask_(causalMask(context.graph, context.shape.context, name + "/mask")) {}

Tensor Attention::product(const Tensor &a, const Tensor &b, const char *what,
                          Sequence &prog) const {
  return poplin::matMulGrouped(context_.graph, a, b, prog, FLOAT, name_ + what, {},
                               &context_.plans);
}

/// Rearranges [rows][parts x width] to [parts][batch x heads][context][head width]
Tensor Attention::split(const Tensor &rows, std::size_t parts) const {
  const Shape &shape = context_.shape;
  const std::size_t batch = rows.dim(0) / shape.context;
  return rows.reshape({batch, shape.context, parts, shape.heads, shape.headWidth()})
      .dimShuffle({2, 0, 3, 1, 4})
      .reshape({parts, batch * shape.heads, shape.context, shape.headWidth()});
}

/// Returns the inverse of split().
Tensor Attention::join(const Tensor &heads, std::size_t parts) const {
  const Shape &shape = context_.shape;
  const std::size_t batch = heads.dim(1) / shape.heads;
  return heads.reshape({parts, batch, shape.heads, shape.context, shape.headWidth()})
      .dimShuffle({1, 3, 0, 2, 4})
      .reshape({batch * shape.context, parts * shape.width});
}

Tensor Attention::forward(const Tensor &x, Kept &kept, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  kept.in = x;
  const Tensor parts = split(inputs_.forward(x, prog), 3);
  kept.queries = parts[0], kept.keys = parts[1], kept.values = parts[2];

  kept.weights = product(kept.queries, transposed(kept.keys), "/scores", prog);
  const float scale = 1 / std::sqrt(static_cast<float>(context_.shape.headWidth()));
  popops::mapInPlace(graph, pe::_1 * pe::Const(scale) + pe::_2, {kept.weights, mask_.expand({0})},
                     prog, name_ + "/mask");
  popnn::softmaxStableInPlace(graph, kept.weights, prog, name_ + "/softmax");

  kept.joined = join(product(kept.weights, kept.values, "/values", prog).expand({0}), 1);
  return output_.forward(kept.joined, prog);
}

Tensor Attention::backward(const Kept &kept, const Tensor &gradient, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const Tensor ofHeads = split(output_.backward(kept.joined, gradient, prog), 1)[0];
  const Tensor ofValues = product(transposed(kept.weights), ofHeads, "/valuesGradient", prog);
  const Tensor ofWeights = product(ofHeads, transposed(kept.values), "/softmaxGradient", prog);

  const Tensor ofScores =
      popnn::nonLinearityInputGradient(graph, popnn::NonLinearityType::SOFTMAX_STABLE, kept.weights,
                                       ofWeights, prog, name_ + "/softmaxGradient");
  popops::mulInPlace(graph, ofScores, 1 / std::sqrt(static_cast<float>(context_.shape.headWidth())),
                     prog, name_ + "/scale");
  const Tensor ofQueries = product(ofScores, kept.keys, "/queriesGradient", prog);
  const Tensor ofKeys = product(transposed(ofScores), kept.queries, "/keysGradient", prog);

  const Tensor ofParts =
      poplar::concat({ofQueries.expand({0}), ofKeys.expand({0}), ofValues.expand({0})});
  return inputs_.backward(kept.in, join(ofParts, 3), prog);
}

} // namespace transformer
