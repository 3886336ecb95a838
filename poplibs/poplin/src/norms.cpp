#include "poplin/Norms.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>
#include <string>

namespace poplin {
namespace {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

void require(const char *function, bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(std::string(function) + ": " + what);
}

void checkActs(const char *function, const Tensor &acts) {
  require(function, acts.rank() >= 2,
          "activations of shape " + acts.shapeToString() + " have no dimension of channels");
  require(function, acts.elementType() == poplar::FLOAT || acts.elementType() == poplar::HALF,
          "activations must be FLOAT or HALF, not " + acts.elementType().toString());
}

void checkVector(const char *function, const char *what, const Tensor &acts, const Tensor &t) {
  require(function, t.rank() == 1 && t.dim(0) == acts.dim(1),
          std::string(what) + " must have shape {" + std::to_string(acts.dim(1)) + "}, not " +
              t.shapeToString());
}

void checkLike(const char *function, const Tensor &acts, const Tensor &gradients) {
  checkActs(function, acts);
  require(function, acts.shape() == gradients.shape(),
          "the activations have shape " + acts.shapeToString() + ", the gradients " +
              gradients.shapeToString());
}

/// A vector of channels as what broadcasts to the activations.
Tensor alongChannels(const Tensor &acts, const Tensor &t) {
  std::vector<std::size_t> shape(acts.rank() - 1, 1);
  shape[0] = t.numElements();
  return t.reshape(shape);
}

std::vector<std::size_t> allButChannels(const Tensor &acts) {
  std::vector<std::size_t> dims{0};
  for (std::size_t d = 2; d != acts.rank(); ++d)
    dims.push_back(d);
  return dims;
}

/// What statistics are taken over: this replica's items, or those of several.
struct Population {
  unsigned items;     ///< of batches
  unsigned groupSize; ///< replicas
  DistributedNormReduceCallback sum;

  std::size_t elements(const Tensor &acts) const {
    return items * (acts.numElements() / (acts.dim(0) * acts.dim(1)));
  }
};

Population local(const Tensor &acts) { return {static_cast<unsigned>(acts.dim(0)), 1, {}}; }

Population distributed(const char *function, const Tensor &acts, unsigned normSize,
                       DistributedNormReduceCallback callback) {
  checkActs(function, acts);
  require(function, acts.dim(0) != 0 && normSize % acts.dim(0) == 0,
          "normSize " + std::to_string(normSize) + " is not a multiple of the batch size " +
              std::to_string(acts.dim(0)));
  return {normSize, static_cast<unsigned>(normSize / acts.dim(0)), std::move(callback)};
}

/// Means of each channel over the whole population, in FLOAT. \p acts may have been worked on.
std::vector<Tensor> means(Graph &graph, const Population &population,
                          const std::vector<std::pair<Tensor, popops::Operation>> &of,
                          Sequence &prog, const poplar::DebugContext &debugContext) {
  std::vector<Tensor> results;
  for (const auto &[t, operation] : of) {
    const Tensor share =
        graph.addConstant(poplar::FLOAT, {}, 1.0f / static_cast<float>(population.elements(t)),
                          {debugContext, "1/M"});
    graph.setTileMapping(share, 0);
    results.push_back(popops::reduce(graph, t, poplar::FLOAT, allButChannels(t),
                                     popops::ReduceParams(operation, false, share), prog,
                                     {debugContext, "mean"}));
  }
  if (population.groupSize == 1)
    return results;
  return population.sum(graph, results, prog, population.groupSize, {debugContext, "sum"}, {});
}

std::pair<Tensor, Tensor> statistics(Graph &graph, const Tensor &acts, float eps, Sequence &prog,
                                     bool unbiased, bool stable, const Population &population,
                                     const poplar::DebugContext &debugContext) {
  using popops::Operation;
  const poplar::Type type = acts.elementType();
  const auto m = static_cast<float>(population.elements(acts));
  const float correction = unbiased && m > 1 ? m / (m - 1) : 1.0f;
  Tensor mean, square; // the second of x, or of x - mean
  if (stable) {
    mean = means(graph, population, {{acts, Operation::ADD}}, prog, debugContext)[0];
    const Tensor centred =
        popops::map(graph, pe::Cast(pe::_1, poplar::FLOAT) - pe::_2,
                    {acts, alongChannels(acts, mean)}, prog, {debugContext, "centred"});
    square = means(graph, population, {{centred, Operation::SQUARE_ADD}}, prog, debugContext)[0];
  } else {
    const auto both =
        means(graph, population, {{acts, Operation::ADD}, {acts, Operation::SQUARE_ADD}}, prog,
              debugContext);
    mean = both[0];
    square = popops::map(graph, pe::Max(pe::_1 - pe::_2 * pe::_2, pe::Const(0.0f)), {both[1], mean},
                         prog, {debugContext, "variance"});
  }
  const Tensor iStdDev = popops::map(
      graph, pe::Cast(pe::Rsqrt((pe::_1 + pe::Const(eps)) * pe::Const(correction)), type), {square},
      prog, {debugContext, "iStdDev"});
  return {popops::map(graph, pe::Cast(pe::_1, type), {mean}, prog, {debugContext, "mean"}),
          iStdDev};
}

Tensor statisticsGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                           const Tensor &invStdDev, Sequence &prog, const Population &population,
                           const poplar::DebugContext &debugContext) {
  const poplar::Type type = gradsIn.elementType();
  const Tensor products =
      popops::map(graph, pe::Cast(pe::_1, poplar::FLOAT) * pe::Cast(pe::_2, poplar::FLOAT),
                  {actsWhitened, gradsIn}, prog, {debugContext, "products"});
  const auto mean = means(graph, population,
                          {{gradsIn, popops::Operation::ADD}, {products, popops::Operation::ADD}},
                          prog, debugContext);
  const auto wide = [](const auto &e) { return pe::Cast(e, poplar::FLOAT); };
  return popops::map(graph,
                     pe::Cast(wide(pe::_3) * (wide(pe::_1) - pe::_4 - wide(pe::_2) * pe::_5), type),
                     {gradsIn, actsWhitened, alongChannels(gradsIn, invStdDev),
                      alongChannels(gradsIn, mean[0]), alongChannels(gradsIn, mean[1])},
                     prog, {debugContext, "statisticsGradients"});
}

} // namespace

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

std::pair<Tensor, Tensor> normStatistics(Graph &graph, const Tensor &acts, float eps,
                                         Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                                         const poplar::Type &,
                                         const poplar::DebugContext &debugContext) {
  checkActs("normStatistics", acts);
  return statistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo, local(acts),
                    debugContext);
}

std::pair<Tensor, Tensor> distributedNormStatistics(Graph &graph, const Tensor &acts, float eps,
                                                    Sequence &prog, bool unbiasedVarEstimate,
                                                    DistributedNormReduceCallback callback,
                                                    unsigned normSize, bool stableAlgo,
                                                    const poplar::Type &,
                                                    const poplar::DebugContext &debugContext) {
  return statistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo,
                    distributed("distributedNormStatistics", acts, normSize, std::move(callback)),
                    debugContext);
}

Tensor normWhiten(Graph &graph, const Tensor &acts, const Tensor &mean, const Tensor &iStdDev,
                  Sequence &prog, const poplar::DebugContext &debugContext) {
  checkActs("normWhiten", acts);
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
  checkLike("normParamGradients", actsWhitened, gradsIn);
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

Tensor normStatisticsGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                               const Tensor &invStdDev, Sequence &prog, const poplar::Type &,
                               const poplar::DebugContext &debugContext) {
  checkLike("normStatisticsGradients", actsWhitened, gradsIn);
  checkVector("normStatisticsGradients", "the inverse standard deviation", gradsIn, invStdDev);
  return statisticsGradients(graph, actsWhitened, gradsIn, invStdDev, prog, local(gradsIn),
                             debugContext);
}

Tensor distributedNormStatisticsGradients(Graph &graph, const Tensor &actsWhitened,
                                          const Tensor &gradsIn, const Tensor &invStdDev,
                                          Sequence &prog, DistributedNormReduceCallback callback,
                                          unsigned normSize, const poplar::Type &,
                                          const poplar::DebugContext &debugContext) {
  const char *const function = "distributedNormStatisticsGradients";
  checkLike(function, actsWhitened, gradsIn);
  checkVector(function, "the inverse standard deviation", gradsIn, invStdDev);
  return statisticsGradients(graph, actsWhitened, gradsIn, invStdDev, prog,
                             distributed(function, gradsIn, normSize, std::move(callback)),
                             debugContext);
}

} // namespace poplin
