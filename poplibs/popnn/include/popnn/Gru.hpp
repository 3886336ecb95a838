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

// Gated recurrent units over T steps of a batch of B. For each step, with s the recurrent activation
// and a the activation:
//
//   r, u = s(x W + h U + b)   c = a(x W + (r h) U + b)   h' = u h + (1 - u) c
//
// With resetAfter, biases are {3, 2, out} and c = a(x W + b0 + r (h U + b1)). A layer with attention
// (auGru...) takes (1 - score) u for u.
//
// Inputs are {T, B, in}, states {B, out}, outputs {T, B, out}, or {B, out} of the last step only,
// scores {B, T}. Where steps vary, a full output is 0 from the end of an item on, and the state is
// that of its last step.
//
// Options: inferenceOnly [true]: what the backward pass needs is kept exactly if a call asks for it;
// partialsType (half, float) [float], availableMemoryProportion; numShards and rnnCodeReuse are checked
// and have no effect.
//
// Errors: poputil::poplibs_error, poplar::invalid_option.
namespace popnn {
namespace gru {

/// The order of the parts' weights: that of the enumeration.
const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder();

struct GruParams {
  rnn::RnnParams rnn;
  // The same as in rnn.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes; ///< in, out
  bool outputFullSequence = true;
  bool calcInputGradients = true;
  std::vector<BasicGruCellUnit> cellOrder = getDefaultBasicGruCellOrder();
  bool resetAfter = false;
  /// Training takes those whose derivative their results give: TANH, SIGMOID, RELU.
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  GruParams() = default;
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
            std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// \param timeSteps  of each item; see RnnParams
  GruParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
            const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
            NonLinearityType activation = NonLinearityType::TANH,
            NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

struct GruWeights {
  poplar::Tensor inputWeights;  ///< {3, in, out}
  poplar::Tensor outputWeights; ///< {3, out, out}
  poplar::Tensor biases;        ///< {3, out}, or {3, 2, out}
};

poplar::Tensor createInput(poplar::Graph &graph, const GruParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialState(poplar::Graph &graph, const GruParams &params,
                                  const poplar::DebugContext &debugContext,
                                  const poplar::OptionFlags &options,
                                  poplin::matmul::PlanningCache *planningCache);
/// \returns inputWeights and outputWeights
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const GruParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const GruParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr);
GruWeights createWeights(poplar::Graph &graph, const GruParams &params,
                         const poplar::DebugContext &debugContext,
                         const poplar::OptionFlags &options = {},
                         poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createAttention(poplar::Graph &graph, const GruParams &params,
                               const poplar::DebugContext &debugContext,
                               const poplar::OptionFlags &options = {});

/// \param intermediates  set to what the backward pass needs; null for inference \returns the output
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const GruWeights &weights, poplar::Tensor *intermediates,
                      poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::matmul::PlanningCache *planningCache = nullptr);
/// \param realTimeSteps  {B}, the steps of each item
poplar::Tensor gruFwd(poplar::Graph &graph, const GruParams &params,
                      const poplar::Tensor &stateInit, const poplar::Tensor &in,
                      const poplar::Tensor &realTimeSteps, const GruWeights &weights,
                      poplar::Tensor *intermediates, poplar::program::Sequence &fwdProg,
                      const poplar::DebugContext &debugContext = {},
                      const poplar::OptionFlags &options = {},
                      poplin::matmul::PlanningCache *planningCache = nullptr);
/// \param gradLayerNext     gradient of the output, of its shape
/// \param inputGrad         set; null exactly if the parameters say that it is not wanted
/// \param bwdIntermediates  set to what gruWU() needs; may be null
/// \returns the gradient of the initial state
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
/// \returns the gradients of the weights
GruWeights gruWU(poplar::Graph &graph, const GruParams &params, poplar::program::Sequence &prog,
                 const poplar::Tensor &fwdOutputInit, const poplar::Tensor &fwdIntermediates,
                 const poplar::Tensor &bwdIntermediates, const GruWeights &weights,
                 const poplar::Tensor &input, const poplar::Tensor &output,
                 const poplar::DebugContext &debugContext, const poplar::OptionFlags &options,
                 poplin::matmul::PlanningCache *planningCache);
/// Both. \param weightsGrad  set
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

// The same with attention scores. \p attentionsGrad is set, {B, T}.
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

// Multiplications and additions of all steps.
std::uint64_t getBasicGruCellFwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params);
std::uint64_t getBasicGruCellWuFlops(const GruParams &params);

} // namespace gru
} // namespace popnn
