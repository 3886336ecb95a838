// Statistics of channels, and gradients through them, of one batch or one that is spread over
// replicas.
#include "norm_channels.hpp"
#include "poplin/Norms.hpp"

#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <poputil/exceptions.hpp>

namespace poplin {

using poplar::Graph;
using poplar::Tensor;
using poplar::program::Sequence;
namespace pe = popops::expr;

namespace {

/// The items over which statistics are computed: this replica's, or several replicas'.
struct Population {
  unsigned items;     ///< items of batches
  unsigned groupSize; ///< replicas
  DistributedNormReduceCallback sum;

  std::size_t elements(const Tensor &acts) const {
    return items * (acts.numElements() / (acts.dim(0) * acts.dim(1)));
  }
};

/// Returns empty statistics, for activations without elements.
std::pair<Tensor, Tensor> noStatistics(Graph &graph, const Tensor &acts,
                                       const poplar::DebugContext &debugContext) {
  const poplar::Type type = acts.elementType();
  return {graph.addVariable(type, {0}, {debugContext, "mean"}),
          graph.addVariable(type, {0}, {debugContext, "iStdDev"})};
}

Population local(const Tensor &acts) { return {static_cast<unsigned>(acts.dim(0)), 1, {}}; }

Population distributed(const char *function, const Tensor &acts, unsigned normSize,
                       DistributedNormReduceCallback callback) {
  checkActs(function, acts);
  if (acts.numElements() == 0)
    throw poputil::poplibs_error(std::string(function) + ": activations of shape " +
                                 acts.shapeToString() + " have no part in a distributed batch");
  if (normSize == 0 || normSize % acts.dim(0) != 0)
    throw poputil::poplibs_error(std::string(function) + ": normSize " + std::to_string(normSize) +
                                 " is not a multiple of the batch size " +
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

std::pair<Tensor, Tensor> normStatistics(Graph &graph, const Tensor &acts, float eps,
                                         Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo,
                                         const poplar::Type &,
                                         const poplar::DebugContext &debugContext) {
  checkActs("normStatistics", acts);
  if (acts.numElements() == 0)
    return noStatistics(graph, acts, debugContext);
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

Tensor normStatisticsGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                               const Tensor &invStdDev, Sequence &prog, const poplar::Type &,
                               const poplar::DebugContext &debugContext) {
  checkGradients("normStatisticsGradients", actsWhitened, gradsIn);
  if (gradsIn.numElements() == 0)
    return graph.clone(gradsIn, {debugContext, "statisticsGradients"});
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
  checkGradients(function, actsWhitened, gradsIn);
  checkVector(function, "the inverse standard deviation", gradsIn, invStdDev);
  return statisticsGradients(graph, actsWhitened, gradsIn, invStdDev, prog,
                             distributed(function, gradsIn, normSize, std::move(callback)),
                             debugContext);
}

} // namespace poplin
