#pragma once

#include "poplin/ConvParams.hpp"
#include "poplin/PlanningCache.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <set>
#include <tuple>

namespace poplin {

/// Shapes, with G groups of Ci input and Co output channels, channel c of group g being g * C + c:
/// input [batch][G * Ci][field...], weights [G][Co][Ci][kernel...], output [batch][G * Co][field...],
/// biases [G * Co]. Types are HALF or FLOAT.
///
/// Options: partialsType (half, float) [float], the type of partial sums;
/// availableMemoryProportion [0.6], the part of a tile's memory that a convolution may take for
/// itself; pass, use128BitConvUnitLoad, enableMultiStageReduce, enableFastReduce, remapOutputTensor,
/// enableAmpHalfEnginesPlan, enableConvDithering, disableTransformations,
/// insertTransformsCycleCountProgs, enableTransformsConvTable, gatherConvOutput, planConstraints,
/// planConstraintsOutputFilename, partialsType.interTile and partialsType.interIPU are checked and
/// have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and parameters; poplar::invalid_option.
using ConvPlanParams =
    std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *>;

struct PlanCosts {
  std::size_t cycles; ///< [modelled cycles]
  std::size_t memory; ///< of the fullest tile [bytes]
};

/// New tensors, mapped where the convolution of these parameters needs them.
poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// \param activations  an output of a convolution. \returns shape {activations.dim(1)}
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                            const poplar::DebugContext &debugContext = {"biases"});

/// \param transposeAndFlipWeights  \p weights are those of the forward pass: their input and output
/// channels are swapped, and they are reversed in space. \p params then are those of
/// getGradientParams().
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights, const ConvParams &params,
                           bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Adds to each channel its bias, in place.
void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

/// \param params  those of the forward pass
/// \returns the gradient with respect to the weights, with their shape
poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                     const poplar::Tensor &activations, const ConvParams &params,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {},
                                     PlanningCache *cache = nullptr);

/// weights += scale * gradient.
/// \param scale  one element
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights, const poplar::Tensor &activations,
                             ConvParams params, const poplar::Tensor &scale,
                             poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
void convolutionWeightUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                             const poplar::Tensor &weights, const poplar::Tensor &activations,
                             ConvParams params, float scale, poplar::program::Sequence &prog,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);

/// biases += scale * sum of zDeltas over batch and field.
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, const poplar::Tensor &scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, float scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

/// Copies [G][Co][Ci][kernel...] to [G][Ci][Co][kernel...], reversed in space.
void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

/// Plans convolutions ahead, for calls with the same cache.
void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache);
void preplanConvolutions(poplar::Graph &graph, const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);

/// \param weights  of a fully connected layer as a convolution of one field dimension
/// \returns a copy with the channels of each group swapped, for the backward pass
poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                                             const ConvParams &params,
                                             poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {},
                                             PlanningCache *cache = nullptr);

// Twice the multiply-accumulates of data, not of padding.
std::uint64_t getFwdFlops(const ConvParams &params);
std::uint64_t getBwdFlops(const ConvParams &params);
std::uint64_t getWuFlops(const ConvParams &params);
// Cycles, if every tile's units were busy all the time.
double getFwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getWuPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);

/// Prints the plan, for people.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);
void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph,
                                const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions = {},
                                PlanningCache *cache = nullptr);

} // namespace poplin
