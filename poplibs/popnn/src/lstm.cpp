#include "checks.hpp"
#include "lstm_cell.hpp"
#include "time_steps.hpp"

#include <algorithm>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
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
namespace pe = popops::expr;

namespace {

std::size_t inputSize(const LstmParams &params) { return params.rnn.layerSizes[0]; }
std::size_t outputSize(const LstmParams &params) { return params.rnn.layerSizes[1]; }

/// Returns the results of the units in the order of the enumeration: {4, B, out}.
/// \param sums  {B, 4 * out}, in the order of the weights; changed
Tensor activated(Graph &graph, const LstmParams &params, const Tensor &sums, Sequence &prog,
                 const DebugContext &debugContext) {
  std::vector<Tensor> units(BASIC_LSTM_CELL_NUM_UNITS);
  for (std::size_t i = 0; i != params.cellOrder.size(); ++i)
    units[params.cellOrder[i]] =
        sums.slice(i * outputSize(params), (i + 1) * outputSize(params), 1).expand({0});
  const Tensor gates =
      poplar::concat({units[BASIC_LSTM_CELL_FORGET_GATE], units[BASIC_LSTM_CELL_INPUT_GATE],
                      units[BASIC_LSTM_CELL_OUTPUT_GATE]});
  nonLinearityInPlace(graph, params.recurrentActivation, gates, prog, {debugContext, "gates"});
  nonLinearityInPlace(graph, params.activation, units[BASIC_LSTM_CELL_CANDIDATE], prog,
                      {debugContext, "candidate"});
  return poplar::concat(units);
}

Tensor createState(Graph &graph, const LstmParams &params, const DebugContext &debugContext) {
  checkParams("createInitialState", params);
  const Tensor t = graph.addVariable(params.rnn.dataType,
                                     {params.rnn.batchSize, outputSize(params)}, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

void checkInput(const char *function, const LstmParams &params, const LstmState &state,
                const Tensor &in) {
  const rnn::RnnParams &r = params.rnn;
  rnn::checkTensor(function, "inputs", in, r, {r.maxTimeSteps, r.batchSize, inputSize(params)});
  rnn::checkTensor(function, "initial outputs", state.output, r, {r.batchSize, outputSize(params)});
  rnn::checkTensor(function, "initial cell states", state.cellState, r,
                   {r.batchSize, outputSize(params)});
}

std::uint64_t productFlops(const LstmParams &params) {
  const rnn::RnnParams &r = params.rnn;
  return std::uint64_t{2} * r.maxTimeSteps * r.batchSize * BASIC_LSTM_CELL_NUM_UNITS *
         outputSize(params);
}

} // namespace

const std::vector<BasicLstmCellUnit> getDefaultBasicLstmCellOrder() {
  return {BASIC_LSTM_CELL_FORGET_GATE, BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_CANDIDATE,
          BASIC_LSTM_CELL_OUTPUT_GATE};
}

LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t steps,
                       std::vector<std::size_t> sizes, NonLinearityType cell,
                       NonLinearityType recurrent)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps),
      layerSizes(sizes), activation(cell), recurrentActivation(recurrent) {}

LstmParams::LstmParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                       const Tensor &steps, std::vector<std::size_t> sizes, NonLinearityType cell,
                       NonLinearityType recurrent)
    : rnn(type, batch, maxSteps, steps, sizes), dataType(type), batchSize(batch),
      timeSteps(maxSteps), layerSizes(sizes), activation(cell), recurrentActivation(recurrent) {}

Tensor LstmState::getAsTensor() const {
  return poplar::concat(output.expand({0}), cellState.expand({0}));
}

void checkParams(const char *function, const LstmParams &params) {
  rnn::checkLayer(function, params.rnn);
  std::vector<BasicLstmCellUnit> order = params.cellOrder;
  std::sort(order.begin(), order.end());
  require(function, order == getDefaultBasicLstmCellOrder(),
          "the order of the cell's parts does not have each of them once");
}

void checkWeights(const char *function, const LstmParams &params, const LstmWeights &weights) {
  constexpr std::size_t kUnits = BASIC_LSTM_CELL_NUM_UNITS;
  const std::size_t in = inputSize(params), out = outputSize(params);
  if (params.doInputWeightCalc)
    rnn::checkTensor(function, "input weights", weights.inputWeights, params.rnn,
                     {kUnits, in, out});
  rnn::checkTensor(function, "output weights", weights.outputWeights, params.rnn,
                   {kUnits, out, out});
  rnn::checkTensor(function, "biases", weights.biases, params.rnn, {kUnits, out});
}

void checkTraining(const char *function, const LstmParams &params,
                   const RecurrentOptions &options) {
  require(function, !options.inferenceOnly, "the option inferenceOnly is true");
  require(function, options.recomputation != rnn::Recomputation::Full,
          "the recomputationMode full is for inference only");
  rnn::checkTrainable(function, params.activation);
  rnn::checkTrainable(function, params.recurrentActivation);
}

Tensor stepMatrix(const LstmParams &params, const LstmWeights &weights) {
  const Tensor ofOutput = rnn::asMatrix(weights.outputWeights);
  return params.doInputWeightCalc ? poplar::concat(rnn::asMatrix(weights.inputWeights), ofOutput)
                                  : ofOutput;
}

Tensor createInput(Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *) {
  (void)RecurrentOptions(options, false);
  checkParams("createInput", params);
  return rnn::createSequence(graph, params.rnn, {params.rnn.batchSize, inputSize(params)},
                             debugContext);
}

Tensor createInitialOutput(Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *) {
  (void)RecurrentOptions(options, false);
  return createState(graph, params, {debugContext, "initialOutput"});
}

Tensor createInitialCellState(Graph &graph, const LstmParams &params,
                              const DebugContext &debugContext, const OptionFlags &options,
                              PlanningCache *) {
  (void)RecurrentOptions(options, false);
  return createState(graph, params, {debugContext, "initialCellState"});
}

LstmState createInitialState(Graph &graph, const LstmParams &params,
                             const DebugContext &debugContext, const OptionFlags &options,
                             PlanningCache *cache) {
  return {createInitialOutput(graph, params, debugContext, options, cache),
          createInitialCellState(graph, params, debugContext, options, cache)};
}

void zeroInitialState(Graph &graph, const LstmState &initialState, Sequence &prog,
                      const DebugContext &debugContext) {
  popops::zero(graph, initialState.getAsTensor(), prog, debugContext);
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph, const LstmParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &flags, PlanningCache *cache) {
  const RecurrentOptions options(flags, false);
  checkParams("createWeightsKernel", params);
  const std::size_t in = params.doInputWeightCalc ? inputSize(params) : 0;
  const std::size_t rows = in + outputSize(params);
  const Tensor matrix =
      poplin::createMatMulInputRHS(graph, params.rnn.dataType, {params.rnn.batchSize, rows},
                                   {rows, BASIC_LSTM_CELL_NUM_UNITS * outputSize(params)},
                                   {debugContext, "weights"}, options.ofProducts, cache);
  return {rnn::asUnits(matrix.slice(0, in), BASIC_LSTM_CELL_NUM_UNITS),
          rnn::asUnits(matrix.slice(in, rows), BASIC_LSTM_CELL_NUM_UNITS)};
}

Tensor createWeightsBiases(Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *) {
  (void)RecurrentOptions(options, false);
  checkParams("createWeightsBiases", params);
  const Tensor t =
      graph.addVariable(params.rnn.dataType, {BASIC_LSTM_CELL_NUM_UNITS, outputSize(params)},
                        {debugContext, "biases"});
  poputil::mapTensorLinearly(graph, t);
  return t;
}

LstmWeights createWeights(Graph &graph, const LstmParams &params, const DebugContext &debugContext,
                          const OptionFlags &options, PlanningCache *cache) {
  const auto kernel = createWeightsKernel(graph, params, debugContext, options, cache);
  return {kernel.first, kernel.second,
          createWeightsBiases(graph, params, debugContext, options, cache)};
}

std::pair<Tensor, Tensor> lstmFwd(Graph &graph, const LstmParams &params,
                                  const LstmState &stateInit, const Tensor &in,
                                  const LstmWeights &weights, Tensor *intermediates, Sequence &prog,
                                  const DebugContext &debugContext, const OptionFlags &flags,
                                  PlanningCache *cache) {
  const char *const function = "lstmFwd";
  const RecurrentOptions options(flags, false);
  checkParams(function, params);
  checkInput(function, params, stateInit, in);
  checkWeights(function, params, weights);
  const std::size_t batch = params.rnn.batchSize, out = outputSize(params);
  std::size_t kept = 0;
  if (intermediates != nullptr) {
    checkTraining(function, params, options);
    kept = numKept(options);
    *intermediates = rnn::createSequence(graph, params.rnn,
                                         {kept + (params.outputFullSequence ? 0 : 1), batch, out},
                                         {debugContext, "intermediates"});
  }
  const Tensor matrix = stepMatrix(params, weights), biases = weights.biases.flatten();
  const Tensor h = rnn::carried(graph, stateInit.output, prog, {debugContext, "output"});
  const Tensor c = rnn::carried(graph, stateInit.cellState, prog, {debugContext, "cellState"});
  Tensor outputs = h;
  if (params.outputFullSequence)
    outputs = rnn::createSequence(graph, params.rnn, {batch, out}, {debugContext, "outputs"});
  rnn::forEachStep(graph, params.rnn, false, prog, debugContext, [&](rnn::TimeStep &step) {
    const Tensor x = params.doInputWeightCalc ? poplar::concat(step.read(in), h, 1) : h;
    const Tensor sums = poplin::matMul(graph, x, matrix, step.prog(), {debugContext, "sums"},
                                       options.ofProducts, cache);
    popops::addInPlace(graph, sums, biases, step.prog(), {debugContext, "biases"});
    const Tensor units = activated(graph, params, sums, step.prog(), debugContext);
    const Tensor cell =
        popops::map(graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Mul(pe::_3, pe::_4)),
                    {units[BASIC_LSTM_CELL_FORGET_GATE], c, units[BASIC_LSTM_CELL_INPUT_GATE],
                     units[BASIC_LSTM_CELL_CANDIDATE]},
                    step.prog(), {debugContext, "cell"});
    const Tensor tanh =
        nonLinearity(graph, params.activation, cell, step.prog(), {debugContext, "tanh"});
    const Tensor output = popops::mul(graph, units[BASIC_LSTM_CELL_OUTPUT_GATE], tanh, step.prog(),
                                      {debugContext, "output"});
    if (intermediates != nullptr) {
      Tensor all = units;
      if (kept == kNumIntermediates)
        all = poplar::concat({units, tanh.expand({0}), c.expand({0})});
      if (!params.outputFullSequence)
        all = poplar::concat(all, h.expand({0}));
      step.write(*intermediates, all);
    }
    if (params.outputFullSequence)
      step.write(outputs, step.orZero(output));
    step.prog().add(Copy(step.orEnded(cell, c), c, false, debugContext));
    step.prog().add(Copy(step.orEnded(output, h), h, false, debugContext));
  });
  return {outputs, c};
}

Tensor lstmFwd(Graph &graph, const LstmParams &params, Sequence &prog, const LstmState &stateInit,
               const LstmWeights &weights, const Tensor &in, Tensor *intermediates,
               const DebugContext &debugContext, const OptionFlags &options, PlanningCache *cache) {
  return lstmFwd(graph, params, stateInit, in, weights, intermediates, prog, debugContext, options,
                 cache)
      .first;
}

std::vector<std::pair<poplin::MatMulParams, OptionFlags>>
getMatMulPrePlanParameters(LstmParams params, OptionFlags flags) {
  const RecurrentOptions options(flags, false);
  checkParams("getMatMulPrePlanParameters", params);
  const std::size_t rows = (params.doInputWeightCalc ? inputSize(params) : 0) + outputSize(params);
  const std::size_t columns = BASIC_LSTM_CELL_NUM_UNITS * outputSize(params);
  const std::size_t batch = params.rnn.batchSize, all = batch * params.rnn.maxTimeSteps;
  const poplar::Type type = params.rnn.dataType;
  std::vector<std::pair<poplin::MatMulParams, OptionFlags>> products = {
      {{type, type, {1, batch, rows}, {1, rows, columns}}, options.ofProducts}};
  if (!options.inferenceOnly) {
    products.push_back({{type, type, {1, batch, columns}, {1, columns, rows}}, options.ofProducts});
    products.push_back({{type, type, {1, rows, all}, {1, all, columns}}, options.ofProducts});
  }
  return products;
}

std::uint64_t getBasicLstmCellFwdFlops(const LstmParams &params) {
  const std::uint64_t cell =
      std::uint64_t{8} * params.rnn.maxTimeSteps * params.rnn.batchSize * outputSize(params);
  return productFlops(params) *
             ((params.doInputWeightCalc ? inputSize(params) : 0) + outputSize(params)) +
         cell;
}
std::uint64_t getBasicLstmCellBwdFlops(const LstmParams &params) {
  return productFlops(params) *
         ((params.calcInputGradients ? inputSize(params) : 0) + outputSize(params));
}
std::uint64_t getBasicLstmCellWuFlops(const LstmParams &params) {
  return productFlops(params) * (inputSize(params) + outputSize(params) + 1);
}

} // namespace lstm
} // namespace popnn
