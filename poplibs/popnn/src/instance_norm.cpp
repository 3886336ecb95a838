#include "popnn/InstanceNorm.hpp"

#include <popnn/GroupNorm.hpp>
#include <popnn/Norms.hpp>

namespace popnn {
namespace in {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;

namespace {

/// Returns at least one channel: a tensor without a dimension of channels is a group norm's error,
/// and one without channels has no statistics.
unsigned channelsOf(const Tensor &acts) {
  return acts.rank() < 2 || acts.dim(1) == 0 ? 1 : static_cast<unsigned>(acts.dim(1));
}

} // namespace

std::pair<Tensor, Tensor> instanceNormStatistics(Graph &graph, const Tensor acts, float eps,
                                                 Sequence &prog, bool unbiasedVarEstimate,
                                                 bool stableAlgo, const Type &partialsType,
                                                 const DebugContext &debugContext,
                                                 const OptionFlags &options) {
  return gn::groupNormStatistics(graph, acts, eps, prog, channelsOf(acts), unbiasedVarEstimate,
                                 stableAlgo, partialsType, debugContext, options);
}

Tensor instanceNormWhiten(Graph &graph, const Tensor &acts, const Tensor &mean,
                          const Tensor &invStdDev, Sequence &prog, const DebugContext &debugContext,
                          const OptionFlags &options) {
  return gn::groupNormWhiten(graph, acts, mean, invStdDev, prog, debugContext, options);
}

std::pair<Tensor, Tensor> instanceNormalise(Graph &graph, const Tensor &acts, const Tensor &gamma,
                                            const Tensor &beta, const Tensor &mean,
                                            const Tensor &invStdDev, Sequence &prog,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  return gn::groupNormalise(graph, acts, gamma, beta, mean, invStdDev, prog, debugContext, options);
}

std::pair<Tensor, Tensor> instanceNormParamGradients(Graph &graph, const Tensor &acts,
                                                     const Tensor &gradsIn, const Tensor &mean,
                                                     const Tensor &iStdDev, Sequence &prog,
                                                     const Type &partialsType,
                                                     const DebugContext &debugContext,
                                                     const OptionFlags &options) {
  return gn::groupNormParamGradients(graph, acts, gradsIn, mean, iStdDev, prog, partialsType,
                                     debugContext, options);
}

std::pair<Tensor, Tensor> instanceNormParamGradients(Graph &graph, const Tensor &actsWhitened,
                                                     const Tensor &gradsIn, Sequence &prog,
                                                     const Type &partialsType,
                                                     const DebugContext &debugContext,
                                                     const OptionFlags &options) {
  return gn::groupNormParamGradients(graph, actsWhitened, gradsIn, prog, partialsType, debugContext,
                                     options);
}

Tensor instanceNormGradients(Graph &graph, const Tensor &acts, const Tensor &gradsIn,
                             const Tensor &mean, const Tensor &invStdDev, const Tensor &gamma,
                             Sequence &prog, const Type &partialsType,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return gn::groupNormGradients(graph, acts, gradsIn, mean, invStdDev, gamma, prog, partialsType,
                                debugContext, options);
}

Tensor instanceNormGradients(Graph &graph, const Tensor &actsWhitened, const Tensor &gradsIn,
                             const Tensor &invStdDev, const Tensor &gamma, Sequence &prog,
                             const Type &partialsType, const DebugContext &debugContext,
                             const OptionFlags &options) {
  return gn::groupNormGradients(graph, actsWhitened, gradsIn, invStdDev, gamma, prog, partialsType,
                                debugContext, options);
}

void instanceNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                             float scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                             const DebugContext &debugContext, const OptionFlags &options) {
  gn::groupNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext,
                           options);
}

void instanceNormParamUpdate(Graph &graph, const Tensor &gammaDelta, const Tensor &betaDelta,
                             const Tensor &scale, Tensor &gamma, Tensor &beta, Sequence &prog,
                             const DebugContext &debugContext, const OptionFlags &options) {
  gn::groupNormParamUpdate(graph, gammaDelta, betaDelta, scale, gamma, beta, prog, debugContext,
                           options);
}

std::uint64_t getFwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel,
                          bool computeEstimates) {
  return getNormFwdFlops(numChannels, numChannels * actsPerChannel, computeEstimates);
}
std::uint64_t getBwdFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel) {
  return getNormBwdFlops(numChannels, numChannels * actsPerChannel);
}
std::uint64_t getWuFlops(std::uint64_t numChannels, std::uint64_t actsPerChannel) {
  return getNormWuFlops(numChannels, numChannels * actsPerChannel);
}

} // namespace in
} // namespace popnn
