#include "poplin/Norms.hpp"

#include "norm_channels.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>

namespace poplin {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

Tensor createNormGamma(Graph &graph, const Tensor &acts, const poplar::Type &type,
                       const poplar::DebugContext &debugContext) {
  checkActs("createNormGamma", acts);
  return poputil::createBroadcastOperand(graph, acts, type, 1, false, {debugContext, "gamma"});
}
Tensor createNormGamma(Graph &graph, const Tensor &acts, const poplar::DebugContext &debugContext) {
  return createNormGamma(graph, acts, acts.elementType(), debugContext);
}
Tensor createNormBeta(Graph &graph, const Tensor &acts, const poplar::Type &type,
                      const poplar::DebugContext &debugContext) {
  checkActs("createNormBeta", acts);
  return poputil::createBroadcastOperand(graph, acts, type, 1, false, {debugContext, "beta"});
}
Tensor createNormBeta(Graph &graph, const Tensor &acts, const poplar::DebugContext &debugContext) {
  return createNormBeta(graph, acts, acts.elementType(), debugContext);
}
std::pair<Tensor, Tensor> createNormParams(Graph &graph, const Tensor &acts,
                                           const poplar::DebugContext &debugContext) {
  const Tensor gamma = createNormGamma(graph, acts, debugContext);
  return {gamma, createNormBeta(graph, acts, debugContext)};
}

Tensor normWhiten(Graph &graph, const Tensor &acts, const Tensor &mean, const Tensor &iStdDev,
                  Sequence &prog, const poplar::DebugContext &debugContext) {
  checkActs("normWhiten", acts);
  if (acts.numElements() == 0) // so the statistics are empty
    return graph.clone(acts, {debugContext, "whiten"});
  checkVector("normWhiten", "the mean", acts, mean);
  checkVector("normWhiten", "the inverse standard deviation", acts, iStdDev);
  return popops::map(graph, (pe::_1 - pe::_2) * pe::_3,
                     {acts, alongChannels(acts, mean), alongChannels(acts, iStdDev)}, prog,
                     {debugContext, "whiten"});
}

Tensor normalise(Graph &graph, const Tensor &actsWhitened, const Tensor &gamma, const Tensor &beta,
                 Sequence &prog, const poplar::DebugContext &debugContext) {
  checkActs("normalise", actsWhitened);
  checkVector("normalise", "gamma", actsWhitened, gamma);
  checkVector("normalise", "beta", actsWhitened, beta);
  return popops::map(
      graph, pe::_1 * pe::_2 + pe::_3,
      {actsWhitened, alongChannels(actsWhitened, gamma), alongChannels(actsWhitened, beta)}, prog,
      {debugContext, "normalise"});
}

std::pair<Tensor, Tensor> normParamGradients(Graph &graph, const Tensor &actsWhitened,
                                             const Tensor &gradsIn, Sequence &prog,
                                             const poplar::Type &,
                                             const poplar::DebugContext &debugContext) {
  checkGradients("normParamGradients", actsWhitened, gradsIn);
  const poplar::Type type = actsWhitened.elementType();
  const auto dims = allButChannels(gradsIn);
  const Tensor products =
      popops::map(graph, pe::Cast(pe::_1, poplar::FLOAT) * pe::Cast(pe::_2, poplar::FLOAT),
                  {actsWhitened, gradsIn}, prog, {debugContext, "products"});
  const Tensor gamma = popops::reduce(graph, products, type, dims, popops::Operation::ADD, prog,
                                      {debugContext, "gammaDelta"});
  return {gamma, popops::reduce(graph, gradsIn, type, dims, popops::Operation::ADD, prog,
                                {debugContext, "betaDelta"})};
}

Tensor normGradients(Graph &graph, const Tensor &gradsIn, const Tensor &gamma, Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  checkActs("normGradients", gradsIn);
  checkVector("normGradients", "gamma", gradsIn, gamma);
  return popops::map(graph, pe::_1 * pe::_2, {gradsIn, alongChannels(gradsIn, gamma)}, prog,
                     {debugContext, "normGradients"});
}

} // namespace poplin
