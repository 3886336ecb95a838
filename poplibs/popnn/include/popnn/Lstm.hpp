#pragma once

#include <cstddef>
#include <cstdint>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplin/MatMul.hpp>
#include <popnn/LstmDef.hpp>
#include <popnn/NonLinearityDef.hpp>
#include <popnn/Rnn.hpp>
#include <utility>
#include <vector>

/// \file
/// Long short-term memory over T steps of a batch of B. For each step, with r the recurrent
/// activation and a the activation:
///
///     f, i, o = r(x W + h U + b)   g = a(x W + h U + b)   c' = f c + i g   h' = o a(c')
///
/// Inputs are [T, B, in], states [B, out], outputs [T, B, out], or [B, out] of the last step only.
/// If items have different numbers of steps, an output with all steps is 0 after the end of an
/// item, and the states are those after the item's last step.
///
/// Options: inferenceOnly (default false), partialsType (half, float; default float),
/// availableMemoryProportion, recomputationMode (none, cellAndTanh, full; default none): the values
/// that the backward pass recomputes; full is for inference only. preCalcWeights,
/// weightAccumulatorsType, numShards, rnnCodeReuse, rnnStepsPerWU, weightUpdateMemoryProportion and
/// disableWUPartialInterleaving are checked and have no effect.
///
/// Errors: poputil::poplibs_error for shapes, types and parameters; poplar::invalid_option.

namespace popnn {
/// Long short-term memory.
namespace lstm {

/// Returns the default order of the parts' weights: the order of the enumeration.
const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

/// Describes an LSTM layer.
struct LstmParams {
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
  /// True: inputs have weights; false: they have no weights, for measurements.
  bool doInputWeightCalc = true;
  /// True: the backward pass computes the gradient of the input.
  bool calcInputGradients = true;
  /// The order of the parts' weights.
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  /// The activation a. Training needs an activation whose derivative follows from its result: TANH,
  /// SIGMOID or RELU.
  NonLinearityType activation = NonLinearityType::TANH;
  /// The recurrent activation r; the same restriction for training.
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  /// Makes empty parameters, which may only be assigned to.
  LstmParams() = default;
  /// Describes a layer in which all items have \p timeSteps steps.
  /// \param layerSizes  in, out
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// Describes a layer whose items have different numbers of steps.
  /// \param timeSteps  number of steps of each item; see RnnParams
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
             const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

/// Holds the state between steps.
struct LstmState {
  ///@{

  /// Shape [B, out] each.
  poplar::Tensor output, cellState;
  ///@}

  /// Returns both, shape [2, B, out].
  poplar::Tensor getAsTensor() const;
};

/// Holds the weights of a layer.
struct LstmWeights {
  /// Shape [4, in, out].
  poplar::Tensor inputWeights;
  /// Shape [4, out, out].
  poplar::Tensor outputWeights;
  /// Shape [4, out].
  poplar::Tensor biases;
};

///@{

/// Adds a tensor or tensors for the layer, mapped as the layer needs them: input [T, B, in], states
/// [B, out].
poplar::Tensor createInput(poplar::Graph &graph, const LstmParams &params,
                           const poplar::DebugContext &debugContext,
                           const poplar::OptionFlags &options = {},
                           poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialOutput(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createInitialCellState(poplar::Graph &graph, const LstmParams &params,
                                      const poplar::DebugContext &debugContext,
                                      const poplar::OptionFlags &options = {},
                                      poplin::matmul::PlanningCache *planningCache = nullptr);
LstmState createInitialState(poplar::Graph &graph, const LstmParams &params,
                             const poplar::DebugContext &debugContext,
                             const poplar::OptionFlags &options = {},
                             poplin::matmul::PlanningCache *planningCache = nullptr);
///@}

/// Sets a state to 0 at the end of \p prog.
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// Adds the weights without the biases.
/// \returns inputWeights and outputWeights
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::matmul::PlanningCache *planningCache = nullptr);

///@{

/// Adds the biases [4, out], or all weights.
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr);
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {},
                          poplin::matmul::PlanningCache *planningCache = nullptr);
///@}

/// Computes the layer forward.
/// \param intermediates  set to the intermediates for the backward pass, [T, n, B, out]: n is 6, or
///   4 for recomputationMode cellAndTanh, and one more if the output has only the last step. Null
///   for inference
/// \returns the output, [T, B, out] or [B, out]
/// \throws poputil::poplibs_error if shapes, types or parameters do not fit; poplar::invalid_option
poplar::Tensor lstmFwd(poplar::Graph &graph, const LstmParams &params,
                       poplar::program::Sequence &prog, const LstmState &stateInit,
                       const LstmWeights &weights, const poplar::Tensor &in,
                       poplar::Tensor *intermediates, const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {},
                       poplin::matmul::PlanningCache *planningCache = nullptr);
/// Computes the layer forward, as above.
/// \returns the output and the last cell state
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, const LstmState &stateInit,
        const poplar::Tensor &in, const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::matmul::PlanningCache *planningCache = nullptr);

/// Holds the gradient of the state after the last step: none, of the cell state, or of both.
struct LastStateGrad {
  ///@{

  /// Holds no gradient, the cell state's, or both.
  LastStateGrad(std::nullptr_t) {}
  LastStateGrad(const poplar::Tensor *cellState_) : cellState(cellState_) {}
  LastStateGrad(const LstmState *state)
      : output(state == nullptr ? nullptr : &state->output),
        cellState(state == nullptr ? nullptr : &state->cellState) {}
  ///@}

  ///@{

  /// The gradients; null stands for 0.
  const poplar::Tensor *output = nullptr, *cellState = nullptr;
  ///@}
};

/// Computes the gradients of the layer's inputs and initial state.
/// \param fwdIntermediates   the intermediates of lstmFwd()
/// \param outputGrad         gradient of the output, of its shape
/// \param lastStateGrad      added to \p outputGrad
/// \param inputGrad          set to the gradient of the inputs; must be null exactly if \p
///   params.calcInputGradients is false
/// \param bwdIntermediates   set to the intermediates for lstmWU(); may be null
/// \returns the gradient of the initial state
/// \throws poputil::poplibs_error if shapes, types or parameters do not fit; poplar::invalid_option
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  LastStateGrad lastStateGrad, poplar::Tensor *inputGrad,
                  poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::matmul::PlanningCache *planningCache = nullptr);
/// Computes the gradients of the weights, from the intermediates of lstmFwd() and lstmBwd().
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const LstmWeights &weights,
                   const poplar::Tensor &input, const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::matmul::PlanningCache *planningCache = nullptr);
/// Computes the results of lstmBwd() and lstmWU().
/// \param weightsGrad  set to the gradients of the weights
/// \returns the gradient of the initial state
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                        const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, LastStateGrad lastStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::matmul::PlanningCache *planningCache = nullptr);

/// Returns the matrix products of a step, for planning in advance.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, poplar::OptionFlags opts);

///@{

/// Returns the number of multiplications and additions of all steps of a pass.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params);
///@}

} // namespace lstm
} // namespace popnn
