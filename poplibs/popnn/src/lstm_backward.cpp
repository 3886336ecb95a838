#include "checks.hpp"
#include "lstm_cell.hpp"
#include "time_steps.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace popnn {
namespace lstm {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using poplin::matmul::PlanningCache;
using rnn::RecurrentOptions;
using rnn::stacked;
namespace pe = popops::expr;

namespace {

/// Returns the values that the forward pass stores without recomputation, when it has stored the
/// units only.
Tensor recomputed(Graph &graph, const LstmParams &params, const Tensor &initialCell,
                  const Tensor &units, Sequence &prog, const DebugContext &debugContext) {
  const Tensor tanhAndCell =
      rnn::createSequence(graph, params.rnn, {2, params.rnn.batchSize, params.rnn.layerSizes[1]},
                          {debugContext, "recomputed"});
  const Tensor c = rnn::carried(graph, initialCell, prog, {debugContext, "cellState"});
  rnn::forEachStep(graph, params.rnn, false, prog, debugContext, [&](rnn::TimeStep &step) {
    const Tensor u = step.read(units);
    const Tensor cell =
        popops::map(graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Mul(pe::_3, pe::_4)),
                    {u[BASIC_LSTM_CELL_FORGET_GATE], c, u[BASIC_LSTM_CELL_INPUT_GATE],
                     u[BASIC_LSTM_CELL_CANDIDATE]},
                    step.prog(), {debugContext, "cell"});
    const Tensor tanh =
        nonLinearity(graph, params.activation, cell, step.prog(), {debugContext, "tanh"});
    step.write(tanhAndCell, stacked({tanh, c}));
    step.prog().add(Copy(step.orEnded(cell, c), c, false, debugContext));
  });
  return poplar::concat(units.slice(0, BASIC_LSTM_CELL_NUM_UNITS, 1), tanhAndCell, 1);
}

/// The gradients of a step with respect to the sums of the units, in the order of the enumeration,
/// and to the cell state before it.
struct StepGradients {
  std::vector<Tensor> units;
  Tensor cell;
};

StepGradients stepGradients(Graph &graph, const LstmParams &params, const Tensor &kept,
                            const Tensor &dh, const Tensor &dc, Sequence &prog,
                            const DebugContext &debugContext) {
  const Tensor f = kept[BASIC_LSTM_CELL_FORGET_GATE], i = kept[BASIC_LSTM_CELL_INPUT_GATE],
               g = kept[BASIC_LSTM_CELL_CANDIDATE], o = kept[BASIC_LSTM_CELL_OUTPUT_GATE],
               tanh = kept[kTanh], previous = kept[kPreviousCell];
  const Tensor throughTanh = nonLinearityInputGradient(
      graph, params.activation, tanh, popops::mul(graph, dh, o, prog, {debugContext, "dTanh"}),
      prog, {debugContext, "dTanh"});
  const Tensor cell = popops::add(graph, dc, throughTanh, prog, {debugContext, "dCell"});
  const Tensor ofGates = popops::mul(graph, stacked({cell, cell, dh}), stacked({previous, g, tanh}),
                                     prog, {debugContext, "dGates"});
  const Tensor gates =
      nonLinearityInputGradient(graph, params.recurrentActivation, stacked({f, i, o}), ofGates,
                                prog, {debugContext, "dGates"});
  const Tensor candidate = nonLinearityInputGradient(
      graph, params.activation, g, popops::mul(graph, cell, i, prog, {debugContext, "dCandidate"}),
      prog, {debugContext, "dCandidate"});
  return {{gates[0], gates[1], candidate, gates[2]},
          popops::mul(graph, cell, f, prog, {debugContext, "dCell"})};
}

} // namespace

LstmState lstmBwd(Graph &graph, const LstmParams &params, Sequence &prog,
                  const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                  const LstmWeights &weights, const Tensor &, const Tensor &,
                  const Tensor &outputGrad, LastStateGrad lastStateGrad, Tensor *inputGrad,
                  Tensor *bwdIntermediates, const DebugContext &debugContext,
                  const OptionFlags &flags, PlanningCache *cache) {
  const char *const function = "lstmBwd";
  const RecurrentOptions options(flags, false);
  checkParams(function, params);
  checkTraining(function, params, options);
  checkWeights(function, params, weights);
  const rnn::RnnParams &r = params.rnn;
  const std::size_t in = r.layerSizes[0], out = r.layerSizes[1];
  using Shape = std::vector<std::size_t>;
  rnn::checkTensor(function, "gradients of the output", outputGrad, r,
                   params.outputFullSequence ? Shape{r.maxTimeSteps, r.batchSize, out}
                                             : Shape{r.batchSize, out});
  rnn::checkTensor(
      function, "intermediates", fwdIntermediates, r,
      {r.maxTimeSteps, numKept(options) + (params.outputFullSequence ? 0 : 1), r.batchSize, out});
  require(function, (inputGrad != nullptr) == params.calcInputGradients,
          "gradients of the input are wanted by the parameters, or by the call, but not by both");

  const Tensor kept = options.recomputation == rnn::Recomputation::None
                          ? fwdIntermediates
                          : recomputed(graph, params, fwdStateInit.cellState, fwdIntermediates,
                                       prog, {debugContext, "recompute"});
  const Tensor dh = params.outputFullSequence
                        ? rnn::carriedZeros(graph, r, prog, {debugContext, "dOutput"})
                        : rnn::carried(graph, outputGrad, prog, {debugContext, "dOutput"});
  if (lastStateGrad.output != nullptr)
    popops::addInPlace(graph, dh, *lastStateGrad.output, prog, {debugContext, "dOutput"});
  const Tensor dc =
      lastStateGrad.cellState == nullptr
          ? rnn::carriedZeros(graph, r, prog, {debugContext, "dCell"})
          : rnn::carried(graph, *lastStateGrad.cellState, prog, {debugContext, "dCell"});
  if (inputGrad != nullptr) {
    *inputGrad = rnn::createSequence(graph, r, {r.batchSize, in}, {debugContext, "dInput"});
    if (!params.doInputWeightCalc)
      popops::zero(graph, *inputGrad, prog, {debugContext, "dInput"});
  }
  if (bwdIntermediates != nullptr)
    *bwdIntermediates = rnn::createSequence(graph, r, {BASIC_LSTM_CELL_NUM_UNITS, r.batchSize, out},
                                            {debugContext, "dUnits"});
  const bool ofInput = inputGrad != nullptr && params.doInputWeightCalc;
  const Tensor matrix =
      ofInput ? stepMatrix(params, weights) : rnn::asMatrix(weights.outputWeights);
  rnn::forEachStep(graph, r, true, prog, debugContext, [&](rnn::TimeStep &step) {
    const Tensor dOutput =
        params.outputFullSequence
            ? popops::add(graph, dh, step.read(outputGrad), step.prog(), {debugContext, "dOutput"})
            : dh;
    const StepGradients gradients =
        stepGradients(graph, params, step.read(kept), dOutput, dc, step.prog(), debugContext);
    std::vector<Tensor> inOrder;
    for (const BasicLstmCellUnit unit : params.cellOrder)
      inOrder.push_back(gradients.units[unit]);
    const Tensor units = step.orZero(stacked(inOrder));
    if (bwdIntermediates != nullptr)
      step.write(*bwdIntermediates, units);
    const Tensor back =
        poplin::matMul(graph, units.dimShuffle({1, 0, 2}).flatten(1, 3), matrix.transpose(),
                       step.prog(), {debugContext, "back"}, options.ofProducts, cache);
    if (ofInput)
      step.write(*inputGrad, back.slice(0, in, 1));
    const Tensor toState = back.slice(ofInput ? in : 0, back.dim(1), 1);
    step.prog().add(Copy(step.orEnded(gradients.cell, dc), dc, false, debugContext));
    step.prog().add(Copy(step.orEnded(toState, dh), dh, false, debugContext));
  });
  return {dh, dc};
}

LstmWeights lstmWU(Graph &graph, const LstmParams &params, Sequence &prog,
                   const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                   const Tensor &bwdIntermediates, const LstmWeights &weights, const Tensor &input,
                   const Tensor &output, const DebugContext &debugContext, const OptionFlags &flags,
                   PlanningCache *cache) {
  const char *const function = "lstmWU";
  const RecurrentOptions options(flags, false);
  checkParams(function, params);
  checkTraining(function, params, options);
  const rnn::RnnParams &r = params.rnn;
  const std::size_t in = params.doInputWeightCalc ? r.layerSizes[0] : 0, out = r.layerSizes[1];
  constexpr std::size_t kUnits = BASIC_LSTM_CELL_NUM_UNITS;
  rnn::checkTensor(function, "intermediates of the backward pass", bwdIntermediates, r,
                   {r.maxTimeSteps, kUnits, r.batchSize, out});
  const Tensor previous =
      params.outputFullSequence
          ? rnn::previousOutputs(fwdStateInit.output, output)
          : fwdIntermediates.slice(numKept(options), numKept(options) + 1, 1).squeeze({1});
  // All steps and items at once.
  const Tensor x = params.doInputWeightCalc ? poplar::concat(input, previous, 2) : previous;
  const Tensor gradients = bwdIntermediates.dimShuffle({0, 2, 1, 3})
                               .reshape({r.maxTimeSteps * r.batchSize, kUnits * out});
  const Tensor matrix = poplin::matMul(graph, x.flatten(0, 2).transpose(), gradients, prog,
                                       {debugContext, "dWeights"}, options.ofProducts, cache);
  LstmWeights result;
  result.outputWeights = rnn::asUnits(matrix.slice(in, in + out), kUnits);
  if (params.doInputWeightCalc) {
    result.inputWeights = rnn::asUnits(matrix.slice(0, in), kUnits);
  } else {
    result.inputWeights = graph.clone(weights.inputWeights, {debugContext, "dInputWeights"});
    popops::zero(graph, result.inputWeights, prog, {debugContext, "dInputWeights"});
  }
  result.biases = popops::reduce(graph, bwdIntermediates, r.dataType, {0, 2},
                                 popops::Operation::ADD, prog, {debugContext, "dBiases"});
  return result;
}

LstmState lstmBwdWithWU(Graph &graph, const LstmParams &params, Sequence &prog,
                        const LstmState &fwdStateInit, const Tensor &fwdIntermediates,
                        const LstmWeights &weights, const Tensor &input, const Tensor &output,
                        const Tensor &outputGrad, LastStateGrad lastStateGrad, Tensor *inputGrad,
                        LstmWeights &weightsGrad, const DebugContext &debugContext,
                        const OptionFlags &options, PlanningCache *cache) {
  Tensor bwdIntermediates;
  const LstmState gradient = lstmBwd(graph, params, prog, fwdStateInit, fwdIntermediates, weights,
                                     input, output, outputGrad, lastStateGrad, inputGrad,
                                     &bwdIntermediates, debugContext, options, cache);
  weightsGrad = lstmWU(graph, params, prog, fwdStateInit, fwdIntermediates, bwdIntermediates,
                       weights, input, output, debugContext, options, cache);
  return gradient;
}

} // namespace lstm
} // namespace popnn
