#pragma once

#include <functional>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <utility>
#include <vector>

namespace poplin {

/// \file poplin/Norms.hpp
/// Parts of normalisations of activations [N, C, field...], FLOAT or HALF. All vectors have length
/// C; M is N times the elements of the field. Sums are in FLOAT, whatever partialsType says.

///@{

/// Adds a vector for each channel, mapped like the channels.
/// - \p type: default: the type of \p acts
///
/// The result has shape [C].
/// \throws poputil::poplibs_error if \p acts has no dimension of channels
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::Type &type,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormGamma(poplar::Graph &graph, const poplar::Tensor &acts,
                               const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::Type &type,
                              const poplar::DebugContext &debugContext = {});
poplar::Tensor createNormBeta(poplar::Graph &graph, const poplar::Tensor &acts,
                              const poplar::DebugContext &debugContext = {});
///@}

/// Adds gamma and beta, both of shape [C], mapped like the channels.
std::pair<poplar::Tensor, poplar::Tensor>
createNormParams(poplar::Graph &graph, const poplar::Tensor &acts,
                 const poplar::DebugContext &debugContext = {});

/// Computes mean and 1 / sqrt(variance + eps) of each channel.
/// \param unbiasedVarEstimate  true: multiplies variance + eps by M / (M - 1)
/// \param stableAlgo    default false: the variance is the mean of x^2, less mean^2; true: it is
///   the mean of (x - mean)^2
/// \param partialsType  accepted, without effect: sums are FLOAT
/// \returns mean and inverse standard deviation, shape [C], of the type of the activations; empty
///   vectors if there are no activations
/// \throws poputil::poplibs_error if shapes or types do not fit
std::pair<poplar::Tensor, poplar::Tensor>
normStatistics(poplar::Graph &graph, const poplar::Tensor &actsUngrouped, float eps,
               poplar::program::Sequence &prog, bool unbiasedVarEstimate, bool stableAlgo = false,
               const poplar::Type &partialsType = poplar::FLOAT,
               const poplar::DebugContext &debugContext = {});

/// Computes (acts - mean) * iStdDev, as a new tensor of the shape of \p acts.
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor normWhiten(poplar::Graph &graph, const poplar::Tensor &acts,
                          const poplar::Tensor &mean, const poplar::Tensor &iStdDev,
                          poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
/// Computes gamma * actsWhitened + beta, as a new tensor of the shape of \p actsWhitened.
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor normalise(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                         const poplar::Tensor &gamma, const poplar::Tensor &beta,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});

/// Computes the gradients with respect to gamma and beta.
/// \returns the sums of actsWhitened * gradsIn, and of gradsIn, shape [C]
/// \throws poputil::poplibs_error if shapes or types do not fit
std::pair<poplar::Tensor, poplar::Tensor>
normParamGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                   const poplar::Tensor &gradsIn, poplar::program::Sequence &prog,
                   const poplar::Type &partialsType = poplar::FLOAT,
                   const poplar::DebugContext &debugContext = {});
/// Computes gradsIn * gamma, as a new tensor.
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor normGradients(poplar::Graph &graph, const poplar::Tensor &gradsIn,
                             const poplar::Tensor &gamma, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {});
/// Computes invStdDev * (gradsIn - mean(gradsIn) - actsWhitened * mean(actsWhitened * gradsIn)), as
/// a new tensor.
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor normStatisticsGradients(poplar::Graph &graph, const poplar::Tensor &actsWhitened,
                                       const poplar::Tensor &gradsIn,
                                       const poplar::Tensor &invStdDev,
                                       poplar::program::Sequence &prog,
                                       const poplar::Type &partialsType = poplar::FLOAT,
                                       const poplar::DebugContext &debugContext = {});

/// A function that sums each tensor over groups of adjacent replicas, and returns the sums.
using DistributedNormReduceCallback = std::function<std::vector<poplar::Tensor>(
    poplar::Graph &replicatedGraph, const std::vector<poplar::Tensor> &inputsToReduce,
    poplar::program::Sequence &prog, unsigned groupSize, const poplar::DebugContext &debugContext,
    const poplar::OptionFlags &options)>;

///@{

/// Computes like the function without "distributed" in its name, over the \p normSize items of
/// batches that are spread over replicas; this replica has N of them.
/// - \p normSize: a multiple of N; if it equals N, the callback is not called
/// \throws poputil::poplibs_error if \p normSize is no multiple of N, or shapes or types do not fit
std::pair<poplar::Tensor, poplar::Tensor>
distributedNormStatistics(poplar::Graph &replicatedGraph, const poplar::Tensor &actsUngrouped,
                          float eps, poplar::program::Sequence &prog, bool unbiasedVarEstimate,
                          DistributedNormReduceCallback allReduceCallback, unsigned normSize,
                          bool stableAlgo = false, const poplar::Type &partialsType = poplar::FLOAT,
                          const poplar::DebugContext &debugContext = {});
poplar::Tensor distributedNormStatisticsGradients(
    poplar::Graph &replicatedGraph, const poplar::Tensor &actsWhitened,
    const poplar::Tensor &gradsIn, const poplar::Tensor &invStdDev, poplar::program::Sequence &prog,
    DistributedNormReduceCallback reduceCallback, unsigned normSize,
    const poplar::Type &partialsType = poplar::FLOAT,
    const poplar::DebugContext &debugContext = {});
///@}

} // namespace poplin
