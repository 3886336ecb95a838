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

/// Linear algebra: matrix products, convolutions, normalisation, triangular systems. See User
/// guide, 6.
namespace poplin {

/// \file
/// Convolutions. Shapes, with G groups of Ci input and Co output channels, channel c of group g
/// being g * C + c: input [batch, G * Ci, field...], weights [G, Co, Ci, kernel...], output [batch,
/// G * Co, field...], biases [G * Co]. Types are HALF or FLOAT.
///
/// Options: partialsType (half, float; default float), the type of partial sums;
/// availableMemoryProportion (default 0.6), the part of a tile's memory that a convolution may use
/// for temporary data; pass, use128BitConvUnitLoad, enableMultiStageReduce, enableFastReduce,
/// remapOutputTensor, enableAmpHalfEnginesPlan, enableConvDithering, disableTransformations,
/// insertTransformsCycleCountProgs, enableTransformsConvTable, gatherConvOutput, planConstraints,
/// planConstraintsOutputFilename, partialsType.interTile and partialsType.interIPU are checked and
/// have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and parameters; poplar::invalid_option.

/// Identifies a convolution to plan: a target, parameters and options. The pointed-to objects must
/// outlive it.
using ConvPlanParams =
    std::tuple<const poplar::Target *, const ConvParams, const poplar::OptionFlags *>;

/// Holds the estimated cost of a plan.
struct PlanCosts {
  /// The time [modelled cycles].
  std::size_t cycles;
  /// The memory of the fullest tile [bytes].
  std::size_t memory;
};

///@{

/// Adds a tensor with the tile mapping that the convolution of these parameters needs: weights [G,
/// Co, Ci, kernel...] or input [batch, G * Ci, field...]. A convolution also accepts other
/// mappings, at the cost of exchanges.
/// \throws poputil::poplibs_error if ConvParams::validate() fails; poplar::invalid_option
poplar::Tensor createWeights(poplar::Graph &graph, const ConvParams &params,
                             const poplar::DebugContext &debugContext = {},
                             const poplar::OptionFlags &options = {},
                             PlanningCache *cache = nullptr);
poplar::Tensor createInput(poplar::Graph &graph, const ConvParams &params,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
///@}

/// Adds biases, mapped like the channels.
/// \param activations  an output of a convolution
/// \returns shape [activations.dim(1)]
/// \throws poputil::poplibs_error if \p activations has no dimension of channels
poplar::Tensor createBiases(poplar::Graph &graph, const poplar::Tensor &activations,
                            const poplar::DebugContext &debugContext = {"biases"});

/// Computes a convolution.
///
/// \code
/// Tensor w = createWeights(graph, params, "w"), x = createInput(graph, params, "x");
/// Tensor y = convolution(graph, x, w, params, false, prog, "conv1");
/// \endcode
/// \param in       shape [batch, G * Ci, field...]
/// \param weights  shape [G, Co, Ci, kernel...]
/// \param transposeAndFlipWeights  true: \p weights come from the forward pass: their input and
///   output channels are swapped, and they are reversed in space. \p params then come from
///   getGradientParams()
/// \param options  see the head of this file; default none
/// \param cache    plans to reuse; default none
/// \returns a new tensor, shape [batch, G * Co, field...], of the type of \p params
/// \throws poputil::poplibs_error if shapes or types do not fit \p params
/// \throws poplar::invalid_option if an option or its value is unknown
poplar::Tensor convolution(poplar::Graph &graph, const poplar::Tensor &in,
                           const poplar::Tensor &weights, const ConvParams &params,
                           bool transposeAndFlipWeights, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {},
                           const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

/// Adds to each channel its bias, in place.
/// \param in      shape [batch, channels, field...]
/// \param biases  shape [channels]
/// \throws poputil::poplibs_error if shapes do not fit
void addBias(poplar::Graph &graph, const poplar::Tensor &in, const poplar::Tensor &biases,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});

/// Computes the gradient with respect to the weights.
/// \param zDeltas  gradients of the output
/// \param params   parameters of the forward pass
/// \returns a new tensor with the shape of the weights
/// \throws poputil::poplibs_error if shapes or types do not fit \p params
poplar::Tensor calculateWeightDeltas(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                                     const poplar::Tensor &activations, const ConvParams &params,
                                     poplar::program::Sequence &prog,
                                     const poplar::DebugContext &debugContext = {},
                                     const poplar::OptionFlags &options = {},
                                     PlanningCache *cache = nullptr);

///@{

/// Computes weights += scale * gradient with respect to the weights.
/// - \p zDeltas: gradients of the output
/// - \p params: parameters of the forward pass
/// - \p scale: a number, or one element
/// \throws poputil::poplibs_error if shapes or types do not fit
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
///@}

///@{

/// Computes biases += scale * sum of zDeltas over batch and field.
/// - \p scale: a number, or one element
/// \throws poputil::poplibs_error if shapes do not fit
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, const poplar::Tensor &scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
void convolutionBiasUpdate(poplar::Graph &graph, const poplar::Tensor &zDeltas,
                           const poplar::Tensor &biases, float scale,
                           const poplar::OptionFlags &options, poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});
///@}

/// Copies [G, Co, Ci, kernel...] to [G, Ci, Co, kernel...], reversed in space. \p options are
/// accepted, without effect.
void weightsTransposeChansFlipXY(poplar::Graph &graph, const poplar::Tensor &weightsIn,
                                 const poplar::Tensor &weightsOut, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {});

///@{

/// Plans convolutions in advance and stores the plans in \p cache.
void preplanConvolutions(const std::set<ConvPlanParams> &convs, PlanningCache &cache);
void preplanConvolutions(poplar::Graph &graph, const std::set<ConvPlanParams> &convs,
                         PlanningCache &cache);
///@}

/// Copies the weights of a fully connected layer as a convolution of one field dimension, with the
/// channels of each group swapped, for the backward pass.
/// \throws poputil::poplibs_error if the parameters have more field dimensions
poplar::Tensor fullyConnectedWeightTranspose(poplar::Graph &graph, poplar::Tensor weights,
                                             const ConvParams &params,
                                             poplar::program::Sequence &prog,
                                             const poplar::DebugContext &debugContext = {},
                                             const poplar::OptionFlags &options = {},
                                             PlanningCache *cache = nullptr);

///@{

/// Returns twice the number of multiply-accumulates, without those of padding, of the forward pass,
/// the gradient or the weight update.
std::uint64_t getFwdFlops(const ConvParams &params);
std::uint64_t getBwdFlops(const ConvParams &params);
std::uint64_t getWuFlops(const ConvParams &params);
///@}

///@{

/// Returns the cycles that a pass would take if every tile's units were busy all the time.
double getFwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getBwdPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
double getWuPerfectCycleCount(const poplar::Graph &graph, const ConvParams &params);
///@}

/// Prints the plan, for people.
void reportPlanInfo(std::ostream &out, const poplar::Graph &graph, const ConvParams &params,
                    const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);
/// Returns the estimated cost of the plan.
PlanCosts reportPlanEstimatedCosts(const poplar::Graph &graph, const ConvParams &params,
                                   const poplar::OptionFlags &options = {},
                                   PlanningCache *cache = nullptr);
/// Prints the plan of the weight update, for people.
void reportWeightUpdatePlanInfo(std::ostream &out, const poplar::Graph &graph,
                                const ConvParams &fwdParams,
                                const poplar::OptionFlags &fwdOptions = {},
                                PlanningCache *cache = nullptr);

} // namespace poplin
