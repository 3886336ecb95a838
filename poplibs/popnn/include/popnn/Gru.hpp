#pragma once

#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/GruDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>
#include <utility>
#include <vector>

/// \file
/// Gated recurrent units over T steps of a batch of B. For each step, with s the recurrent
/// activation and a the activation:
///
///     r, u = s(x W + h U + b)   c = a(x W + (r h) U + b)   h' = u h + (1 - u) c
///
/// With resetAfter, biases are [3, 2, out] and c = a(x W + b0 + r (h U + b1)). A layer with
/// attention (auGru...) uses (1 - score) u in place of u.
///
/// Inputs are [T, B, in], states [B, out], outputs [T, B, out], or [B, out] of the last step only,
/// scores [B, T]. If items have different numbers of steps, an output with all steps is 0 after the
/// end of an item, and the state is the one after the item's last step.
///
/// Options: inferenceOnly (default true): what the backward pass needs is kept exactly if a call
/// asks for it; partialsType (half, float; default float), availableMemoryProportion; numShards and
/// rnnCodeReuse are checked and have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and parameters; poplar::invalid_option.

namespace popnn {
/// Gated recurrent units.
namespace gru {

/// Returns the default order of the parts' weights: the order of the enumeration.
const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

/// Describes a GRU layer.
struct GruParams {
  /// The sizes.
  rnn::RnnParams rnn;

  ///@{

  /// Equals that member of rnn.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  ///@}

  /// The sizes of input and output.
  std::vector<std::size_t> layerSizes;
  /// True: the output has all steps; false: the last one.
  bool outputFullSequence = true;
  /// True: the backward pass computes the gradient of the input.
  bool calcInputGradients = true;
  /// The order of the parts' weights.
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  /// True: the reset gate works after the product with U.
  bool resetAfter = false;
  /// The activation a. Training needs an activation whose derivative follows from its result: TANH,
  /// SIGMOID or RELU.
  NonLinearityType activation = NonLinearityType::TANH;
  /// The recurrent activation s; the same restriction for training.
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  /// Makes empty parameters, which may only be assigned to.
  GruParams() = default;
  /// Describes a layer in which all items have \p timeSteps steps.
  /// \param layerSizes  in, out
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// Describes a layer whose items have different numbers of steps.
  /// \param timeSteps  number of steps of each item; see RnnParams
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

/// Holds the weights of a layer.
struct GruWeights {
  /// Shape [3, in, out].
  poplar::Tensor inputWeights;
  /// Shape [3, out, out].
  poplar::Tensor outputWeights;
  /// Shape [3, out], or [3, 2, out] with resetAfter.
  poplar::Tensor biases;
};

///@{

/// Adds a tensor for the layer, mapped as the layer needs it: input [T, B, in], state [B, out].
poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options,
                                  poplin::matmul::PlanningCache *planningCache);
///@}

/// Adds the weights without the biases.
/// \returns inputWeights and outputWeights
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::matmul::PlanningCache *planningCache = nullptr);

///@{

/// Adds the biases, or all weights.
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr);
GruWeights createWeights(poplar::Graph &graph, const GruParams &params,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options = {},
                         poplin::matmul::PlanningCache *planningCache = nullptr);
///@}

/// Adds attention scores, shape [B, T].
poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                               const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options = {});

///@{

/// Computes the layer forward.
/// - \p realTimeSteps: shape [B], the number of steps of each item; default: as in \p params
/// - \p intermediates: set to the intermediates for the backward pass; null for inference
///
/// The result is the output, [T, B, out] or [B, out].
/// \throws poputil::poplibs_error if shapes, types or parameters do not fit; poplar::invalid_option
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                      poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::matmul::PlanningCache *planningCache = nullptr);
///@}

///@{

/// Computes the gradients of the layer's inputs and initial state.
/// - \p gradLayerNext: gradient of the output, of its shape
/// - \p inputGrad: set to the gradient of the inputs; must be null exactly if \p
///   params.calcInputGradients is false
/// - \p bwdIntermediates: set to the intermediates for gruWU(); may be null
///
/// The result is the gradient of the initial state.
/// \throws poputil::poplibs_error if shapes, types or parameters do not fit; poplar::invalid_option
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params,
                      poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                      const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                      const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
                      const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
                      poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext,
                      const poplar::OptionFlags &options,
                      poplin::matmul::PlanningCache *planningCache);
poplar::Tensor gruBwd(poplar::Graph &graph, const GruParams &params,
                      poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                      const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                      const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
                      const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
                      poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                      const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                      poplin::matmul::PlanningCache *planningCache);
///@}

/// Computes the gradients of the weights, from the intermediates of gruFwd() and gruBwd().
GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                 const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                 const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                 const poplar::Tensor &input, const poplar::Tensor &output,
                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                 poplin::matmul::PlanningCache *planningCache);

///@{

/// Computes the results of gruBwd() and gruWU().
/// - \p weightsGrad: set to the gradients of the weights
///
/// The result is the gradient of the initial state.
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                            poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                            const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                            const poplar::Tensor &input, const poplar::Tensor &output,
                            const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad,
                            GruWeights &weightsGrad, const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options,
                            poplin::matmul::PlanningCache *planningCache);
poplar::Tensor gruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                            poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                            const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                            const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                            const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                            poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                            const poplar::DebugContext &debugContext,
                            const poplar::OptionFlags &options,
                            poplin::matmul::PlanningCache *planningCache);
///@}

///@{

/// Computes like the function without "au" in its name, with attention scores.
/// - \p attScores, \p attentions: shape [B, T]
/// - \p attentionsGrad: set to the gradient of the scores, shape [B, T]
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params,
                        const poplar::Tensor &stateInit, const poplar::Tensor &in,
                        const GruWeights &weights, poplar::Tensor *intermediates,
                        const poplar::Tensor &attScores, poplar::program::Sequence &fwdProg,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruFwd(poplar::Graph &graph, const GruParams &params,
                        const poplar::Tensor &stateInit, const poplar::Tensor &in,
                        const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                        poplar::Tensor *intermediates, const poplar::Tensor &attScores,
                        poplar::program::Sequence &fwdProg,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params,
                        poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                        const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                        const poplar::Tensor &fwdInputSeq, const poplar::Tensor &fwdOutput,
                        const poplar::Tensor &gradLayerNext, poplar::Tensor *inputGrad,
                        poplar::Tensor *bwdIntermediates, const poplar::Tensor &attentions,
                        poplar::Tensor *attentionsGrad, const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options,
                        poplin::matmul::PlanningCache *planningCache);
poplar::Tensor auGruBwd(poplar::Graph &graph, const GruParams &params,
                        poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                        const poplar::Tensor &fwdIntermediatesSeq, const GruWeights &weights,
                        const poplar::Tensor &fwdInputSeq, const poplar::Tensor &realTimeSteps,
                        const poplar::Tensor &fwdOutput, const poplar::Tensor &gradLayerNext,
                        poplar::Tensor *inputGrad, poplar::Tensor *bwdIntermediates,
                        const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                        const poplar::DebugContext &debugContext,
                        const poplar::OptionFlags &options,
                        poplin::matmul::PlanningCache *planningCache);
GruWeights auGruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                   const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                   const poplar::Tensor &input, const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                   poplin::matmul::PlanningCache *planningCache);
poplar::Tensor
auGruBwdWithWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
               const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
               const GruWeights &weights, const poplar::Tensor &input, const poplar::Tensor &output,
               const poplar::Tensor &outputGrad, poplar::Tensor *inputGrad, GruWeights &weightsGrad,
               const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
               const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
               poplin::matmul::PlanningCache *planningCache);
poplar::Tensor auGruBwdWithWU(poplar::Graph &graph, const GruParams &params,
                              poplar::program::Sequence &prog, const poplar::Tensor &fwdOutputInit,
                              const poplar::Tensor &fwdIntermediates, const GruWeights &weights,
                              const poplar::Tensor &input, const poplar::Tensor &realTimeSteps,
                              const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                              poplar::Tensor *inputGrad, GruWeights &weightsGrad,
                              const poplar::Tensor &attentions, poplar::Tensor *attentionsGrad,
                              const poplar::DebugContext &debugContext,
                              const poplar::OptionFlags &options,
                              poplin::matmul::PlanningCache *planningCache);
///@}

///@{

/// Returns the number of multiplications and additions of all steps of a pass.
std::uint64_t getBasicGruCellFwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellWuFlops(const GruParams &params);
///@}

} // namespace gru
} // namespace popnn
