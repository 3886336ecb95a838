#include "layer_norm.hpp"

#include <popnn/LayerNorm.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <tuple>

namespace transformer {

using poplar::FLOAT;
using poplar::Tensor;
using poplar::program::Sequence;

LayerNorm::LayerNorm(LayerContext &context, const std::string &name)
    : context_(context), name_(name) {
  const auto vector = [&](const std::string &part, float number) {
    const Tensor t = context.graph.addVariable(FLOAT, {context.shape.width}, name + part);
    poputil::mapTensorLinearly(context.graph, t);
    return context.parameters.addConstant(t, number, name + part);
  };
  gamma_ = vector("/gamma", 1);
  beta_ = vector("/beta", 0);
}

Tensor LayerNorm::forward(const Tensor &x, Kept &kept, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  Tensor mean, out;
  std::tie(mean, kept.inverseDeviation) =
      popnn::ln::layerNormStatistics(graph, x, 1e-5f, prog, false, true, FLOAT, name_);
  std::tie(out, kept.whitened) = popnn::ln::layerNormalise(
      graph, x, gamma_.value, beta_.value, mean, kept.inverseDeviation, prog, name_);
  return out;
}

Tensor LayerNorm::backward(const Kept &kept, const Tensor &gradient, Sequence &prog) const {
  poplar::Graph &graph = context_.graph;
  const auto ofParameters =
      popnn::ln::layerNormParamGradients(graph, kept.whitened, gradient, prog, FLOAT, name_);
  popops::addInPlace(graph, gamma_.gradient, ofParameters.first, prog, name_);
  popops::addInPlace(graph, beta_.gradient, ofParameters.second, prog, name_);
  return popnn::ln::layerNormGradients(graph, kept.whitened, gradient, kept.inverseDeviation,
                                       gamma_.value, prog, FLOAT, name_);
}

} // namespace transformer
