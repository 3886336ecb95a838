#include "checks.hpp"
#include "gru_cell.hpp"
#include "time_steps.hpp"

#include <algorithm>
#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>

namespace popnn {
namespace gru {

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

std::size_t inputSize(const GruParams &params) { return params.rnn.layerSizes[0]; }
std::size_t outputSize(const GruParams &params) { return params.rnn.layerSizes[1]; }

std::vector<std::size_t> biasShape(const GruParams &params) {
  if (params.resetAfter)
    return {kUnits, 2, outputSize(params)};
  return {kUnits, outputSize(params)};
}

std::size_t placeOf(const GruParams &params, BasicGruCellUnit unit) {
  return static_cast<std::size_t>(
      std::find(params.cellOrder.begin(), params.cellOrder.end(), unit) - params.cellOrder.begin());
}

/// The results of a step's units: {B, out} each.
struct Units {
  Tensor reset, update, candidate;
  Tensor recurrentCandidate; ///< with resetAfter
};

/// Computes the units of steps.
class Cell {
public:
  Cell(Graph &graph, const GruParams &params, const GruWeights &weights,
       const RecurrentOptions &options, const DebugContext &debugContext, PlanningCache *cache)
      : graph_(graph), params_(params), matrices_(params, weights), options_(options),
        debugContext_(debugContext), cache_(cache) {
    const auto bias = [&](BasicGruCellUnit unit, std::size_t which = 0) {
      return biasOf(weights.biases, params, unit, which);
    };
    const auto gates = [&](std::size_t which) {
      return poplar::concat(bias(BASIC_GRU_CELL_RESET_GATE, which),
                            bias(BASIC_GRU_CELL_UPDATE_GATE, which));
    };
    gateBias_ = gates(0);
    candidateBias_ = bias(BASIC_GRU_CELL_CANDIDATE);
    if (params.resetAfter)
      recurrentBias_ = poplar::concat(gates(1), bias(BASIC_GRU_CELL_CANDIDATE, 1));
  }

  Units units(const Tensor &x, const Tensor &h, Sequence &prog) const {
    return params_.resetAfter ? resetAfter(x, h, prog) : resetBefore(x, h, prog);
  }

private:
  Tensor product(const Tensor &x, const Tensor &matrix, const Tensor &bias, Sequence &prog) const {
    const Tensor sums = poplin::matMul(graph_, x, matrix, prog, {debugContext_, "sums"},
                                       options_.ofProducts, cache_);
    popops::addInPlace(graph_, sums, bias, prog, {debugContext_, "biases"});
    return sums;
  }
  void activate(NonLinearityType type, const Tensor &t, Sequence &prog) const {
    nonLinearityInPlace(graph_, type, t, prog, {debugContext_, "unit"});
  }
  Units gatesOf(const Tensor &gates) const {
    const std::size_t out = outputSize(params_);
    return {gates.slice(0, out, 1), gates.slice(out, 2 * out, 1), {}, {}};
  }

  Units resetBefore(const Tensor &x, const Tensor &h, Sequence &prog) const {
    const Tensor gates = product(poplar::concat(x, h, 1), matrices_.first, gateBias_, prog);
    activate(params_.recurrentActivation, gates, prog);
    Units units = gatesOf(gates);
    const Tensor reset = popops::mul(graph_, units.reset, h, prog, {debugContext_, "reset"});
    units.candidate = product(poplar::concat(x, reset, 1), matrices_.second, candidateBias_, prog);
    activate(params_.activation, units.candidate, prog);
    return units;
  }

  Units resetAfter(const Tensor &x, const Tensor &h, Sequence &prog) const {
    const std::size_t out = outputSize(params_);
    const Tensor ofInput =
        product(x, matrices_.first, poplar::concat(gateBias_, candidateBias_), prog);
    const Tensor ofState = product(h, matrices_.second, recurrentBias_, prog);
    const Tensor gates = popops::add(graph_, ofInput.slice(0, 2 * out, 1),
                                     ofState.slice(0, 2 * out, 1), prog, {debugContext_, "gates"});
    activate(params_.recurrentActivation, gates, prog);
    Units units = gatesOf(gates);
    units.recurrentCandidate = ofState.slice(2 * out, 3 * out, 1);
    units.candidate =
        popops::map(graph_, pe::Add(pe::_1, pe::Mul(pe::_2, pe::_3)),
                    {ofInput.slice(2 * out, 3 * out, 1), units.reset, units.recurrentCandidate},
                    prog, {debugContext_, "candidate"});
    activate(params_.activation, units.candidate, prog);
    return units;
  }

  Graph &graph_;
  const GruParams &params_;
  const StepMatrices matrices_;
  const RecurrentOptions &options_;
  const DebugContext &debugContext_;
  PlanningCache *const cache_;
  Tensor gateBias_, candidateBias_, recurrentBias_;
};

/// \param attention  null, or {B, T}
Tensor forward(const char *function, Graph &graph, const GruParams &params, const Tensor &stateInit,
               const Tensor &in, const GruWeights &weights, Tensor *intermediates,
               const Tensor *attention, Sequence &prog, const DebugContext &debugContext,
               const OptionFlags &flags, PlanningCache *cache) {
  const RecurrentOptions options(flags, true);
  checkParams(function, params);
  checkWeights(function, params, weights);
  const rnn::RnnParams &r = params.rnn;
  const std::size_t out = outputSize(params);
  rnn::checkTensor(function, "inputs", in, r, {r.maxTimeSteps, r.batchSize, inputSize(params)});
  rnn::checkTensor(function, "initial states", stateInit, r, {r.batchSize, out});
  if (attention != nullptr)
    rnn::checkTensor(function, "attention scores", *attention, r, {r.batchSize, r.maxTimeSteps});
  if (intermediates != nullptr) {
    rnn::checkTrainable(function, params.activation);
    rnn::checkTrainable(function, params.recurrentActivation);
    *intermediates = rnn::createSequence(graph, r, {numKept(params), r.batchSize, out},
                                         {debugContext, "intermediates"});
  }
  const Cell cell(graph, params, weights, options, debugContext, cache);
  const Tensor h = rnn::carried(graph, stateInit, prog, {debugContext, "output"});
  Tensor outputs = h;
  if (params.outputFullSequence)
    outputs = rnn::createSequence(graph, r, {r.batchSize, out}, {debugContext, "outputs"});
  rnn::forEachStep(graph, r, false, prog, debugContext, [&](rnn::TimeStep &step) {
    const Units units = cell.units(step.read(in), h, step.prog());
    if (intermediates != nullptr) {
      std::vector<Tensor> kept = {units.reset, units.update, units.candidate, h};
      if (params.resetAfter)
        kept.push_back(units.recurrentCandidate);
      step.write(*intermediates, rnn::stacked(kept));
    }
    const Tensor update =
        attention == nullptr
            ? units.update
            : popops::map(graph, pe::Mul(pe::Sub(pe::Const(1.0f), pe::_1), pe::_2),
                          {step.read(attention->transpose()).expand({1}), units.update},
                          step.prog(), {debugContext, "attention"});
    const Tensor output = popops::map(
        graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Mul(pe::Sub(pe::Const(1.0f), pe::_1), pe::_3)),
        {update, h, units.candidate}, step.prog(), {debugContext, "output"});
    if (params.outputFullSequence)
      step.write(outputs, step.orZero(output));
    step.prog().add(Copy(step.orEnded(output, h), h, false, debugContext));
  });
  return outputs;
}

std::uint64_t productFlops(const GruParams &params) {
  return std::uint64_t{2} * params.rnn.maxTimeSteps * params.rnn.batchSize * kUnits *
         outputSize(params);
}

} // namespace

const std::vector<BasicGruCellUnit> getDefaultBasicGruCellOrder() {
  return {BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE};
}

GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t steps,
                     std::vector<std::size_t> sizes, NonLinearityType cell,
                     NonLinearityType recurrent)
    : rnn(type, batch, steps, sizes), dataType(type), batchSize(batch), timeSteps(steps),
      layerSizes(sizes), activation(cell), recurrentActivation(recurrent) {}

GruParams::GruParams(poplar::Type type, std::size_t batch, std::size_t maxSteps,
                     const Tensor &steps, std::vector<std::size_t> sizes, NonLinearityType cell,
                     NonLinearityType recurrent)
    : rnn(type, batch, maxSteps, steps, sizes), dataType(type), batchSize(batch),
      timeSteps(maxSteps), layerSizes(sizes), activation(cell), recurrentActivation(recurrent) {}

void checkParams(const char *function, const GruParams &params) {
  rnn::checkLayer(function, params.rnn);
  std::vector<BasicGruCellUnit> order = params.cellOrder;
  std::sort(order.begin(), order.end());
  require(function, order == getDefaultBasicGruCellOrder(),
          "the order of the cell's parts does not have each of them once");
}

void checkWeights(const char *function, const GruParams &params, const GruWeights &weights) {
  const std::size_t in = inputSize(params), out = outputSize(params);
  rnn::checkTensor(function, "input weights", weights.inputWeights, params.rnn, {kUnits, in, out});
  rnn::checkTensor(function, "output weights", weights.outputWeights, params.rnn,
                   {kUnits, out, out});
  rnn::checkTensor(function, "biases", weights.biases, params.rnn, biasShape(params));
}

GruParams withSteps(const char *function, const GruParams &params, const Tensor &timeSteps) {
  require(function, params.outputFullSequence && !params.rnn.variableTimeSteps(),
          "real time steps go with a full output, and not with parameters that have time steps");
  GruParams own = params;
  own.rnn = rnn::RnnParams(params.rnn.dataType, params.rnn.batchSize, params.rnn.maxTimeSteps,
                           timeSteps, params.rnn.layerSizes);
  return own;
}

Tensor columnsOf(const Tensor &weights, const GruParams &params,
                 const std::vector<BasicGruCellUnit> &units) {
  std::vector<Tensor> columns;
  for (const BasicGruCellUnit unit : units)
    columns.push_back(weights[placeOf(params, unit)]);
  return poplar::concat(columns, 1);
}

Tensor biasOf(const Tensor &biases, const GruParams &params, BasicGruCellUnit unit,
              std::size_t which) {
  const Tensor own = biases[placeOf(params, unit)];
  return params.resetAfter ? own[which] : own;
}

StepMatrices::StepMatrices(const GruParams &params, const GruWeights &weights) {
  const auto all = getDefaultBasicGruCellOrder();
  if (params.resetAfter) {
    first = columnsOf(weights.inputWeights, params, all);
    second = columnsOf(weights.outputWeights, params, all);
    return;
  }
  const auto joined = [&](const std::vector<BasicGruCellUnit> &units) {
    return poplar::concat(columnsOf(weights.inputWeights, params, units),
                          columnsOf(weights.outputWeights, params, units));
  };
  first = joined({BASIC_GRU_CELL_RESET_GATE, BASIC_GRU_CELL_UPDATE_GATE});
  second = joined({BASIC_GRU_CELL_CANDIDATE});
}

Tensor createInput(Graph &graph, const GruParams &params, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *) {
  (void)RecurrentOptions(options, true);
  checkParams("createInput", params);
  return rnn::createSequence(graph, params.rnn, {params.rnn.batchSize, inputSize(params)},
                             debugContext);
}

namespace {

Tensor createLinear(Graph &graph, const GruParams &params, const std::vector<std::size_t> &shape,
                    const OptionFlags &options, const DebugContext &debugContext) {
  (void)RecurrentOptions(options, true);
  const Tensor t = graph.addVariable(params.rnn.dataType, shape, debugContext);
  poputil::mapTensorLinearly(graph, t);
  return t;
}

} // namespace

Tensor createInitialState(Graph &graph, const GruParams &params, const DebugContext &debugContext,
                          const OptionFlags &options, PlanningCache *) {
  checkParams("createInitialState", params);
  return createLinear(graph, params, {params.rnn.batchSize, outputSize(params)}, options,
                      {debugContext, "initialState"});
}

std::pair<Tensor, Tensor> createWeightsKernel(Graph &graph, const GruParams &params,
                                              const DebugContext &debugContext,
                                              const OptionFlags &flags, PlanningCache *cache) {
  const RecurrentOptions options(flags, true);
  checkParams("createWeightsKernel", params);
  const std::size_t in = inputSize(params), out = outputSize(params);
  const auto matrix = [&](std::size_t rows, std::size_t units) {
    return poplin::createMatMulInputRHS(graph, params.rnn.dataType, {params.rnn.batchSize, rows},
                                        {rows, units * out}, {debugContext, "weights"},
                                        options.ofProducts, cache);
  };
  // In the order of the enumeration, as a step multiplies by them.
  Tensor ofInput, ofState;
  if (params.resetAfter) {
    ofInput = rnn::asUnits(matrix(in, kUnits), kUnits);
    ofState = rnn::asUnits(matrix(out, kUnits), kUnits);
  } else {
    const Tensor gates = matrix(in + out, 2), candidate = matrix(in + out, 1);
    const auto rows = [&](std::size_t begin, std::size_t end) {
      return poplar::concat(rnn::asUnits(gates.slice(begin, end), 2),
                            rnn::asUnits(candidate.slice(begin, end), 1));
    };
    ofInput = rows(0, in);
    ofState = rows(in, in + out);
  }
  const auto inOrder = [&](const Tensor &units) {
    std::vector<Tensor> parts;
    for (const BasicGruCellUnit unit : params.cellOrder)
      parts.push_back(units[unit].expand({0}));
    return poplar::concat(parts);
  };
  return {inOrder(ofInput), inOrder(ofState)};
}

Tensor createWeightsBiases(Graph &graph, const GruParams &params, const DebugContext &debugContext,
                           const OptionFlags &options, PlanningCache *) {
  checkParams("createWeightsBiases", params);
  return createLinear(graph, params, biasShape(params), options, {debugContext, "biases"});
}

GruWeights createWeights(Graph &graph, const GruParams &params, const DebugContext &debugContext,
                         const OptionFlags &options, PlanningCache *cache) {
  const auto kernel = createWeightsKernel(graph, params, debugContext, options, cache);
  return {kernel.first, kernel.second,
          createWeightsBiases(graph, params, debugContext, options, cache)};
}

Tensor createAttention(Graph &graph, const GruParams &params, const DebugContext &debugContext,
                       const OptionFlags &options) {
  checkParams("createAttention", params);
  (void)RecurrentOptions(options, true);
  return rnn::createSequence(graph, params.rnn, {params.rnn.batchSize}, {debugContext, "attention"})
      .transpose();
}

Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
              const GruWeights &weights, Tensor *intermediates, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &options, PlanningCache *cache) {
  return forward("gruFwd", graph, params, stateInit, in, weights, intermediates, nullptr, prog,
                 debugContext, options, cache);
}
Tensor gruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
              const Tensor &realTimeSteps, const GruWeights &weights, Tensor *intermediates,
              Sequence &prog, const DebugContext &debugContext, const OptionFlags &options,
              PlanningCache *cache) {
  return gruFwd(graph, withSteps("gruFwd", params, realTimeSteps), stateInit, in, weights,
                intermediates, prog, debugContext, options, cache);
}
Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
                const GruWeights &weights, Tensor *intermediates, const Tensor &attScores,
                Sequence &prog, const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *cache) {
  return forward("auGruFwd", graph, params, stateInit, in, weights, intermediates, &attScores, prog,
                 debugContext, options, cache);
}
Tensor auGruFwd(Graph &graph, const GruParams &params, const Tensor &stateInit, const Tensor &in,
                const Tensor &realTimeSteps, const GruWeights &weights, Tensor *intermediates,
                const Tensor &attScores, Sequence &prog, const DebugContext &debugContext,
                const OptionFlags &options, PlanningCache *cache) {
  return auGruFwd(graph, withSteps("auGruFwd", params, realTimeSteps), stateInit, in, weights,
                  intermediates, attScores, prog, debugContext, options, cache);
}

std::uint64_t getBasicGruCellFwdFlops(const GruParams &params) {
  const std::uint64_t cell =
      std::uint64_t{8} * params.rnn.maxTimeSteps * params.rnn.batchSize * outputSize(params);
  return productFlops(params) * (inputSize(params) + outputSize(params)) + cell;
}
std::uint64_t getBasicGruCellBwdFlops(const GruParams &params) {
  return productFlops(params) *
         ((params.calcInputGradients ? inputSize(params) : 0) + outputSize(params));
}
std::uint64_t getBasicGruCellWuFlops(const GruParams &params) {
  return productFlops(params) * (inputSize(params) + outputSize(params) + 1);
}

} // namespace gru
} // namespace popnn
