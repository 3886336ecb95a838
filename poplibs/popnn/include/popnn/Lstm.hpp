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

// Long short-term memory over T steps of a batch of B. For each step, with r the recurrent activation
// and a the activation:
//
//   f, i, o = r(x W + h U + b)   g = a(x W + h U + b)   c' = f c + i g   h' = o a(c')
//
// Inputs are {T, B, in}, states {B, out}, outputs {T, B, out}, or {B, out} of the last step only.
// Where steps vary, a full output is 0 from the end of an item on, and states are those of its last
// step.
//
// Options: inferenceOnly [false], partialsType (half, float) [float], availableMemoryProportion,
// recomputationMode (none, cellAndTanh, full) [none]: what the backward pass computes again; full is
// for inference only. preCalcWeights, weightAccumulatorsType, numShards, rnnCodeReuse, rnnStepsPerWU,
// weightUpdateMemoryProportion and disableWUPartialInterleaving are checked and have no effect.
//
// Errors: poputil::poplibs_error, poplar::invalid_option.
namespace popnn {
namespace lstm {

/// The order of the parts' weights: that of the enumeration.
const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder();

struct LstmParams {
  rnn::RnnParams rnn;
  // The same as in rnn.
  poplar::Type dataType;
  std::size_t batchSize;
  std::size_t timeSteps;
  std::vector<std::size_t> layerSizes; ///< in, out
  bool outputFullSequence = true;
  bool doInputWeightCalc = true; ///< false: inputs have no weights, for measurements
  bool calcInputGradients = true;
  std::vector<BasicLstmCellUnit> cellOrder = getDefaultBasicLstmCellOrder();
  /// Training takes those whose derivative their results give: TANH, SIGMOID, RELU.
  NonLinearityType activation = NonLinearityType::TANH;
  NonLinearityType recurrentActivation = NonLinearityType::SIGMOID;

  LstmParams() = default;
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t timeSteps,
             std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
  /// \param timeSteps  of each item; see RnnParams
  LstmParams(poplar::Type dataType, std::size_t batchSize, std::size_t maxTimeSteps,
             const poplar::Tensor &timeSteps, std::vector<std::size_t> layerSizes,
             NonLinearityType activation = NonLinearityType::TANH,
             NonLinearityType recurrentActivation = NonLinearityType::SIGMOID);
};

struct LstmState {
  poplar::Tensor output, cellState;   ///< {B, out} each
  poplar::Tensor getAsTensor() const; ///< {2, B, out}
};

struct LstmWeights {
  poplar::Tensor inputWeights;  ///< {4, in, out}
  poplar::Tensor outputWeights; ///< {4, out, out}
  poplar::Tensor biases;        ///< {4, out}
};

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
void zeroInitialState(poplar::Graph &graph, const LstmState &initialState,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// \returns inputWeights and outputWeights
std::pair<poplar::Tensor, poplar::Tensor>
createWeightsKernel(poplar::Graph &graph, const LstmParams &params,
                    const poplar::DebugContext &debugContext,
                    const poplar::OptionFlags &options = {},
                    poplin::matmul::PlanningCache *planningCache = nullptr);
poplar::Tensor createWeightsBiases(poplar::Graph &graph, const LstmParams &params,
                                   const poplar::DebugContext &debugContext,
                                   const poplar::OptionFlags &options = {},
                                   poplin::matmul::PlanningCache *planningCache = nullptr);
LstmWeights createWeights(poplar::Graph &graph, const LstmParams &params,
                          const poplar::DebugContext &debugContext,
                          const poplar::OptionFlags &options = {},
                          poplin::matmul::PlanningCache *planningCache = nullptr);

/// \param intermediates  set to what the backward pass needs, {T, n, B, out}: n is 6, 4 for
///                       recomputationMode cellAndTanh, and one more without the full output. Null
///                       for inference.
/// \returns the output
poplar::Tensor lstmFwd(poplar::Graph &graph, const LstmParams &params,
                       poplar::program::Sequence &prog, const LstmState &stateInit,
                       const LstmWeights &weights, const poplar::Tensor &in,
                       poplar::Tensor *intermediates, const poplar::DebugContext &debugContext = {},
                       const poplar::OptionFlags &options = {},
                       poplin::matmul::PlanningCache *planningCache = nullptr);
/// \returns the output and the last cell state
std::pair<poplar::Tensor, poplar::Tensor>
lstmFwd(poplar::Graph &graph, const LstmParams &params, const LstmState &stateInit,
        const poplar::Tensor &in, const LstmWeights &weights, poplar::Tensor *intermediates,
        poplar::program::Sequence &fwdProg, const poplar::DebugContext &debugContext = {},
        const poplar::OptionFlags &options = {},
        poplin::matmul::PlanningCache *planningCache = nullptr);

/// The gradient of the state after the last step: none, of the cell state, or of both.
struct LastStateGrad {
  LastStateGrad(std::nullptr_t) {}
  LastStateGrad(const poplar::Tensor *cellState_) : cellState(cellState_) {}
  LastStateGrad(const LstmState *state)
      : output(state == nullptr ? nullptr : &state->output),
        cellState(state == nullptr ? nullptr : &state->cellState) {}
  const poplar::Tensor *output = nullptr, *cellState = nullptr; ///< null: 0
};

/// \param outputGrad         of the shape of the output
/// \param lastStateGrad      besides \p outputGrad
/// \param inputGrad          set; null exactly if the parameters say that it is not wanted
/// \param bwdIntermediates   set to what lstmWU() needs; may be null
/// \returns the gradient of the initial state
LstmState lstmBwd(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                  const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                  const LstmWeights &weights, const poplar::Tensor &input,
                  const poplar::Tensor &output, const poplar::Tensor &outputGrad,
                  LastStateGrad lastStateGrad, poplar::Tensor *inputGrad,
                  poplar::Tensor *bwdIntermediates, const poplar::DebugContext &debugContext = {},
                  const poplar::OptionFlags &options = {},
                  poplin::matmul::PlanningCache *planningCache = nullptr);
/// \returns the gradients of the weights
LstmWeights lstmWU(poplar::Graph &graph, const LstmParams &params, poplar::program::Sequence &prog,
                   const LstmState &fwdStateInit, const poplar::Tensor &fwdIntermediates,
                   const poplar::Tensor &bwdIntermediates, const LstmWeights &weights,
                   const poplar::Tensor &input, const poplar::Tensor &output,
                   const poplar::DebugContext &debugContext = {},
                   const poplar::OptionFlags &options = {},
                   poplin::matmul::PlanningCache *planningCache = nullptr);
/// Both. \param weightsGrad  set
LstmState lstmBwdWithWU(poplar::Graph &graph, const LstmParams &params,
                        poplar::program::Sequence &prog, const LstmState &fwdStateInit,
                        const poplar::Tensor &fwdIntermediates, const LstmWeights &weights,
                        const poplar::Tensor &input, const poplar::Tensor &output,
                        const poplar::Tensor &outputGrad, LastStateGrad lastStateGrad,
                        poplar::Tensor *inputGrad, LstmWeights &weightsGrad,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {},
                        poplin::matmul::PlanningCache *planningCache = nullptr);

/// The products of a step, to be planned ahead.
std::vector<std::pair<poplin::MatMulParams, poplar::OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, poplar::OptionFlags opts);

// Multiplications and additions of all steps.
std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params);
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params);

} // namespace lstm
} // namespace popnn
