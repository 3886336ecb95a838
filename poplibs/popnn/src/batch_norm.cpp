#include "norm_parameters.hpp"
#include "popnn/BatchNorm.hpp"

#include <poputil/OptionParsing.hpp>

namespace popnn {
namespace bn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poplin::DistributedNormReduceCallback;

namespace {

/// Refuses all options, because batch norm has no options yet: so a misspelt option of another norm
/// is found.
void check(const OptionFlags &options) { poplibs::OptionSpec("batchNorm", {}).parse(options); }

} // namespace

std::pair<Tensor, Tensor> batchNormStatistics(Graph &graph, const Tensor acts, float eps,
                                              Sequence &prog, bool unbiasedVarEstimate,
                                              bool stableAlgo, const Type &partialsType,
                                              const DebugContext &debugContext,
                                              const OptionFlags &options) {
  check(options);
  return poplin::normStatistics(graph, acts, eps, prog, unbiasedVarEstimate, stableAlgo,
                                partialsType, debugContext);
}

std::pair<Tensor, Tensor>
distributedBatchNormStatistics(Graph &graph, const Tensor acts, float eps, Sequence &prog,
                               bool unbiasedVarEstimate, DistributedNormReduceCallback callback,
                               unsigned normBatchSize, bool stableAlgo, const Type &partialsType,
                               const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  return poplin::distributedNormStatistics(graph, acts, eps, prog, unbiasedVarEstimate, callback,
                                           normBatchSize, stableAlgo, partialsType, debugContext);
}

Tensor batchNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                       const Tensor &invStdDev, Sequence &prog, const DebugContext &debugContext,
                       const OptionFlags &options) {
  check(options);
  return poplin::normWhiten(graph, acts, mean, invStdDev, prog, debugContext);
}

std::pair<Tensor, Tensor> batchNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
                                         const Tensor &beta, const Tensor &mean,
                                         const Tensor &invStdDev, Sequence &prog,
                                         const DebugContext &debugContext,
                                         const OptionFlags &options) {
  const Tensor whitened =
      batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return {poplin::normalise(graph, whitened, gamma, beta, prog, debugContext), whitened};
}

Tensor batchNormalise(Graph &graph, const Tensor &acts, const Tensor &combinedMultiplicand,
                      const Tensor &addend, Sequence &prog, const DebugContext &debugContext,
                      const OptionFlags &options) {
  check(options);
  return poplin::normalise(graph, acts, combinedMultiplicand, addend, prog, debugContext);
}

std::pair<Tensor, Tensor> batchNormParamGradients(Graph &graph, const Tensor &actsWhitened,
                                                  const Tensor &gradsIn, Sequence &prog,
                                                  const Type &partialsType,
                                                  const DebugContext &debugContext,
                                                  const OptionFlags &options) {
  check(options);
  return poplin::normParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext);
}

std::pair<Tensor, Tensor>
batchNormParamGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn, const Tensor &mean,
                        const Tensor &iStdDev, Sequence &prog, const Type &partialsType,
                        const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened = batchNormWhiten(graph, acts, mean, iStdDev, prog, debugContext, options);
  return batchNormParamGradients(graph, whitened, gradsIn, prog, partialsType, debugContext);
}

Tensor batchNormGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                          const Tensor &invStdDev, const Tensor &gamma, Sequence &prog,
                          const Type &partialsType, const DebugContext &debugContext,
                          const OptionFlags &options) {
  check(options);
  const Tensor gradients = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return poplin::normStatisticsGradients(graph, actsWhitened, gradients, invStdDev, prog,
                                         partialsType, debugContext);
}

Tensor batchNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                          const Tensor &mean, const Tensor &invStdDev, const Tensor &gamma,
                          Sequence &prog, const Type &partialsType,
                          const DebugContext &debugContext, const OptionFlags &options) {
  const Tensor whitened =
      batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return batchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, partialsType,
                            debugContext);
}

Tensor distributedBatchNormGradients(Graph &graph, const Tensor &actsWhitened,
                                     const Tensor &gradsIn, const Tensor &invStdDev,
                                     const Tensor &gamma, Sequence &prog,
                                     DistributedNormReduceCallback callback, unsigned normBatchSize,
                                     const Type &partialsType, const DebugContext &debugContext,
                                     const OptionFlags &options) {
  check(options);
  const Tensor gradients = poplin::normGradients(graph, gradsIn, gamma, prog, debugContext);
  return poplin::distributedNormStatisticsGradients(graph, actsWhitened, gradients, invStdDev, prog,
                                                    callback, normBatchSize, partialsType,
                                                    debugContext);
}

Tensor distributedBatchNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                                     const Tensor &mean, const Tensor &invStdDev,
                                     const Tensor &gamma, Sequence &prog,
                                     DistributedNormReduceCallback callback, unsigned normBatchSize,
                                     const Type &partialsType, const DebugContext &debugContext,
                                     const OptionFlags &options) {
  const Tensor whitened =
      batchNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
  return distributedBatchNormGradients(graph, whitened, gradsIn, invStdDev, gamma, prog, callback,
                                       normBatchSize, partialsType, debugContext);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                          float scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  updateNormParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

void batchNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                          const Tensor &scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                          const DebugContext &debugContext, const OptionFlags &options) {
  check(options);
  updateNormParams(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext);
}

} // namespace bn
} // namespace popnn
