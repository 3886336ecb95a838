#include "checks.hpp"
#include "gru_cell.hpp"
#include "time_steps.hpp"

#include <popnn/NonLinearity.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>

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
using rnn::stacked;
namespace pe = popops::expr;

namespace {

/// The gradients that go back from a step.
struct StepGradients {
  /// Gradients of the sums; with resetAfter, also of the recurrent candidate.
  std::vector<Tensor> units;
  Tensor input, state;
  Tensor attention; ///< {B}
};

/// Computes gradients of steps.
class Backward {
public:
  Backward(Graph &graph, const GruParams &params, const GruWeights &weights,
           const RecurrentOptions &options, const DebugContext &debugContext, PlanningCache *cache)
      : graph_(graph), params_(params), matrices_(params, weights), options_(options),
        debugContext_(debugContext), cache_(cache) {}

  /// \param kept   intermediates of this step, {n, B, out}
  /// \param score  null, or {B, 1}
  StepGradients step(const Tensor &kept, const Tensor &dh, const Tensor *score,
                     Sequence &prog) const {
    const Tensor r = kept[BASIC_GRU_CELL_RESET_GATE], u = kept[BASIC_GRU_CELL_UPDATE_GATE],
                 c = kept[BASIC_GRU_CELL_CANDIDATE], h = kept[kPreviousOutput];
    const auto map = [&](const pe::Expr &expression, const std::vector<Tensor> &operands,
                         const char *name) {
      return popops::map(graph_, expression, operands, prog, {debugContext_, name});
    };
    const pe::Sub rest(pe::Const(1.0f), pe::_2); // 1 - the second operand
    const Tensor update =
        score == nullptr ? u : map(pe::Mul(rest, pe::_1), {u, *score}, "attention");
    StepGradients result;
    result.state = map(pe::Mul(pe::_1, pe::_2), {dh, update}, "dState");
    Tensor dUpdate = map(pe::Mul(pe::_1, pe::Sub(pe::_2, pe::_3)), {dh, h, c}, "dUpdate");
    if (score != nullptr) {
      const Tensor products = map(pe::Neg(pe::Mul(pe::_1, pe::_2)), {dUpdate, u}, "dAttention");
      result.attention = popops::reduce(graph_, products, {1}, popops::Operation::ADD, prog,
                                        {debugContext_, "dAttention"});
      dUpdate = map(pe::Mul(rest, pe::_1), {dUpdate, *score}, "dUpdate");
    }
    const Tensor candidate = through(params_.activation, c,
                                     map(pe::Mul(rest, pe::_1), {dh, update}, "dCandidate"), prog);
    if (params_.resetAfter)
      resetAfter(kept, r, u, dUpdate, candidate, result, prog);
    else
      resetBefore(h, r, u, dUpdate, candidate, result, prog);
    return result;
  }

private:
  Tensor through(NonLinearityType type, const Tensor &unit, const Tensor &gradient,
                 Sequence &prog) const {
    return nonLinearityInputGradient(graph_, type, unit, gradient, prog, {debugContext_, "dUnit"});
  }
  Tensor product(const Tensor &gradients, const Tensor &matrix, Sequence &prog) const {
    return poplin::matMul(graph_, gradients, matrix.transpose(), prog, {debugContext_, "back"},
                          options_.ofProducts, cache_);
  }
  Tensor sum(const Tensor &a, const Tensor &b, Sequence &prog) const {
    return popops::add(graph_, a, b, prog, {debugContext_, "sum"});
  }

  void resetBefore(const Tensor &h, const Tensor &r, const Tensor &u, const Tensor &dUpdate,
                   const Tensor &candidate, StepGradients &result, Sequence &prog) const {
    const std::size_t in = params_.rnn.layerSizes[0], out = params_.rnn.layerSizes[1];
    const Tensor ofCandidate = product(candidate, matrices_.second, prog); // gradients of {x, r h}
    const Tensor toReset = ofCandidate.slice(in, in + out, 1);
    const Tensor dReset = popops::mul(graph_, toReset, h, prog, {debugContext_, "dReset"});
    const Tensor gates =
        through(params_.recurrentActivation, stacked({r, u}), stacked({dReset, dUpdate}), prog);
    const Tensor ofGates = product(poplar::concat(gates[0], gates[1], 1), matrices_.first,
                                   prog); // gradients of {x, h}
    result.units = {gates[0], gates[1], candidate};
    result.input = sum(ofCandidate.slice(0, in, 1), ofGates.slice(0, in, 1), prog);
    result.state = popops::map(graph_, pe::Add(pe::Add(pe::_1, pe::_2), pe::Mul(pe::_3, pe::_4)),
                               {result.state, ofGates.slice(in, in + out, 1), toReset, r}, prog,
                               {debugContext_, "dState"});
  }

  void resetAfter(const Tensor &kept, const Tensor &r, const Tensor &u, const Tensor &dUpdate,
                  const Tensor &candidate, StepGradients &result, Sequence &prog) const {
    const Tensor both =
        popops::mul(graph_, stacked({candidate, candidate}),
                    stacked({r, kept[kRecurrentCandidate]}), prog, {debugContext_, "dReset"});
    const Tensor recurrent = both[0], dReset = both[1];
    const Tensor gates =
        through(params_.recurrentActivation, stacked({r, u}), stacked({dReset, dUpdate}), prog);
    result.units = {gates[0], gates[1], candidate, recurrent};
    result.input =
        product(poplar::concat({gates[0], gates[1], candidate}, 1), matrices_.first, prog);
    result.state = sum(
        result.state,
        product(poplar::concat({gates[0], gates[1], recurrent}, 1), matrices_.second, prog), prog);
  }

  Graph &graph_;
  const GruParams &params_;
  const StepMatrices matrices_;
  const RecurrentOptions &options_;
  const DebugContext &debugContext_;
  PlanningCache *const cache_;
};

/// \param attention, attentionGrad  null, or {B, T}; the latter is set
Tensor backward(const char *function, Graph &graph, const GruParams &params, Sequence &prog,
                const Tensor &intermediates, const GruWeights &weights, const Tensor &outputGrad,
                Tensor *inputGrad, Tensor *bwdIntermediates, const Tensor *attention,
                Tensor *attentionGrad, const DebugContext &debugContext, const OptionFlags &flags,
                PlanningCache *cache) {
  const RecurrentOptions options(flags, true);
  checkParams(function, params);
  checkWeights(function, params, weights);
  rnn::checkTrainable(function, params.activation);
  rnn::checkTrainable(function, params.recurrentActivation);
  const rnn::RnnParams &r = params.rnn;
  const std::size_t in = r.layerSizes[0], out = r.layerSizes[1];
  using Shape = std::vector<std::size_t>;
  rnn::checkTensor(function, "intermediates", intermediates, r,
                   {r.maxTimeSteps, numKept(params), r.batchSize, out});
  rnn::checkTensor(function, "gradients of the output", outputGrad, r,
                   params.outputFullSequence ? Shape{r.maxTimeSteps, r.batchSize, out}
                                             : Shape{r.batchSize, out});
  require(function, (inputGrad != nullptr) == params.calcInputGradients,
          "gradients of the input are wanted by the parameters, or by the call, but not by both");
  const Tensor dh = params.outputFullSequence
                        ? rnn::carriedZeros(graph, r, prog, {debugContext, "dOutput"})
                        : rnn::carried(graph, outputGrad, prog, {debugContext, "dOutput"});
  if (inputGrad != nullptr)
    *inputGrad = rnn::createSequence(graph, r, {r.batchSize, in}, {debugContext, "dInput"});
  if (bwdIntermediates != nullptr)
    *bwdIntermediates = rnn::createSequence(graph, r, {numGradients(params), r.batchSize, out},
                                            {debugContext, "dUnits"});
  Tensor scoreGrads;
  if (attentionGrad != nullptr) {
    scoreGrads = rnn::createSequence(graph, r, {r.batchSize}, {debugContext, "dAttention"});
    *attentionGrad = scoreGrads.transpose();
  }
  const Backward cell(graph, params, weights, options, debugContext, cache);
  rnn::forEachStep(graph, r, true, prog, debugContext, [&](rnn::TimeStep &step) {
    const Tensor dOutput =
        params.outputFullSequence
            ? popops::add(graph, dh, step.read(outputGrad), step.prog(), {debugContext, "dOutput"})
            : dh;
    Tensor score;
    if (attention != nullptr)
      score = step.read(attention->transpose()).expand({1});
    const StepGradients gradients = cell.step(step.read(intermediates), dOutput,
                                              attention == nullptr ? nullptr : &score, step.prog());
    if (bwdIntermediates != nullptr)
      step.write(*bwdIntermediates, step.orZero(stacked(gradients.units)));
    if (inputGrad != nullptr)
      step.write(*inputGrad, step.orZero(gradients.input));
    if (attentionGrad != nullptr)
      step.write(scoreGrads, step.orZero(gradients.attention.expand({1})).squeeze({1}));
    step.prog().add(Copy(step.orEnded(gradients.state, dh), dh, false, debugContext));
  });
  return dh;
}

GruWeights weightUpdate(const char *function, Graph &graph, const GruParams &params, Sequence &prog,
                        const Tensor &intermediates, const Tensor &gradients, const Tensor &input,
                        const DebugContext &debugContext, const OptionFlags &flags,
                        PlanningCache *cache) {
  const RecurrentOptions options(flags, true);
  checkParams(function, params);
  const rnn::RnnParams &r = params.rnn;
  const std::size_t out = r.layerSizes[1];
  rnn::checkTensor(function, "intermediates of the backward pass", gradients, r,
                   {r.maxTimeSteps, numGradients(params), r.batchSize, out});
  // All steps and items at once: {T * B, units * out} of some units.
  const auto rowsOf = [&](const std::vector<std::size_t> &units) {
    std::vector<Tensor> parts;
    for (const std::size_t unit : units)
      parts.push_back(gradients.slice(unit, unit + 1, 1).squeeze({1}).flatten(0, 2));
    return poplar::concat(parts, 1);
  };
  const auto product = [&](const Tensor &x, const Tensor &ofUnits) {
    const Tensor matrix = poplin::matMul(graph, x.flatten(0, 2).transpose(), ofUnits, prog,
                                         {debugContext, "dWeights"}, options.ofProducts, cache);
    return rnn::asUnits(matrix, ofUnits.dim(1) / out);
  };
  const auto biases = [&](const Tensor &units) {
    return popops::reduce(graph, units, r.dataType, {0, 2}, popops::Operation::ADD, prog,
                          {debugContext, "dBiases"});
  };
  const auto kept = [&](std::size_t i) { return intermediates.slice(i, i + 1, 1).squeeze({1}); };
  const Tensor h = kept(kPreviousOutput);
  const Tensor ofInput = product(input, rowsOf({0, 1, 2}));
  Tensor ofState, ofBiases = biases(gradients.slice(0, kUnits, 1));
  if (params.resetAfter) {
    constexpr std::size_t kRecurrent = kUnits;
    ofState = product(h, rowsOf({0, 1, kRecurrent}));
    const Tensor recurrent = biases(gradients.slice(kRecurrent, kRecurrent + 1, 1));
    ofBiases = poplar::concat(ofBiases.expand({1}),
                              poplar::concat(ofBiases.slice(0, 2), recurrent).expand({1}), 1);
  } else {
    const Tensor reset =
        popops::mul(graph, kept(BASIC_GRU_CELL_RESET_GATE), h, prog, {debugContext, "reset"});
    ofState = poplar::concat(product(h, rowsOf({0, 1})), product(reset, rowsOf({2})));
  }
  const auto inOrder = [&](const Tensor &units) {
    std::vector<Tensor> parts;
    for (const BasicGruCellUnit unit : params.cellOrder)
      parts.push_back(units[unit]);
    return stacked(parts);
  };
  return {inOrder(ofInput), inOrder(ofState), inOrder(ofBiases)};
}

} // namespace

Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &,
              const Tensor &intermediates, const GruWeights &weights, const Tensor &,
              const Tensor &, const Tensor &gradLayerNext, Tensor *inputGrad,
              Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *cache) {
  return backward("gruBwd", graph, params, prog, intermediates, weights, gradLayerNext, inputGrad,
                  bwdIntermediates, nullptr, nullptr, debugContext, options, cache);
}
Tensor gruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &stateInit,
              const Tensor &intermediates, const GruWeights &weights, const Tensor &input,
              const Tensor &realTimeSteps, const Tensor &output, const Tensor &gradLayerNext,
              Tensor *inputGrad, Tensor *bwdIntermediates, const DebugContext &debugContext,
              const OptionFlags &options, PlanningCache *cache) {
  return gruBwd(graph, withSteps("gruBwd", params, realTimeSteps), prog, stateInit, intermediates,
                weights, input, output, gradLayerNext, inputGrad, bwdIntermediates, debugContext,
                options, cache);
}
Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &,
                const Tensor &intermediates, const GruWeights &weights, const Tensor &,
                const Tensor &, const Tensor &gradLayerNext, Tensor *inputGrad,
                Tensor *bwdIntermediates, const Tensor &attentions, Tensor *attentionsGrad,
                const DebugContext &debugContext, const OptionFlags &options,
                PlanningCache *cache) {
  return backward("auGruBwd", graph, params, prog, intermediates, weights, gradLayerNext, inputGrad,
                  bwdIntermediates, &attentions, attentionsGrad, debugContext, options, cache);
}
Tensor auGruBwd(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &stateInit,
                const Tensor &intermediates, const GruWeights &weights, const Tensor &input,
                const Tensor &realTimeSteps, const Tensor &output, const Tensor &gradLayerNext,
                Tensor *inputGrad, Tensor *bwdIntermediates, const Tensor &attentions,
                Tensor *attentionsGrad, const DebugContext &debugContext,
                const OptionFlags &options, PlanningCache *cache) {
  return auGruBwd(graph, withSteps("auGruBwd", params, realTimeSteps), prog, stateInit,
                  intermediates, weights, input, output, gradLayerNext, inputGrad, bwdIntermediates,
                  attentions, attentionsGrad, debugContext, options, cache);
}

GruWeights gruWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &,
                 const Tensor &intermediates, const Tensor &bwdIntermediates, const GruWeights &,
                 const Tensor &input, const Tensor &, const DebugContext &debugContext,
                 const OptionFlags &options, PlanningCache *cache) {
  return weightUpdate("gruWU", graph, params, prog, intermediates, bwdIntermediates, input,
                      debugContext, options, cache);
}
GruWeights auGruWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &,
                   const Tensor &intermediates, const Tensor &bwdIntermediates, const GruWeights &,
                   const Tensor &input, const Tensor &, const DebugContext &debugContext,
                   const OptionFlags &options, PlanningCache *cache) {
  return weightUpdate("auGruWU", graph, params, prog, intermediates, bwdIntermediates, input,
                      debugContext, options, cache);
}

Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &stateInit,
                    const Tensor &intermediates, const GruWeights &weights, const Tensor &input,
                    const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                    GruWeights &weightsGrad, const DebugContext &debugContext,
                    const OptionFlags &options, PlanningCache *cache) {
  Tensor bwdIntermediates;
  const Tensor gradient =
      gruBwd(graph, params, prog, stateInit, intermediates, weights, input, output, outputGrad,
             inputGrad, &bwdIntermediates, debugContext, options, cache);
  weightsGrad = gruWU(graph, params, prog, stateInit, intermediates, bwdIntermediates, weights,
                      input, output, debugContext, options, cache);
  return gradient;
}
Tensor gruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog, const Tensor &stateInit,
                    const Tensor &intermediates, const GruWeights &weights, const Tensor &input,
                    const Tensor &realTimeSteps, const Tensor &output, const Tensor &outputGrad,
                    Tensor *inputGrad, GruWeights &weightsGrad, const DebugContext &debugContext,
                    const OptionFlags &options, PlanningCache *cache) {
  return gruBwdWithWU(graph, withSteps("gruBwdWithWU", params, realTimeSteps), prog, stateInit,
                      intermediates, weights, input, output, outputGrad, inputGrad, weightsGrad,
                      debugContext, options, cache);
}
Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &stateInit, const Tensor &intermediates,
                      const GruWeights &weights, const Tensor &input, const Tensor &output,
                      const Tensor &outputGrad, Tensor *inputGrad, GruWeights &weightsGrad,
                      const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext, const OptionFlags &options,
                      PlanningCache *cache) {
  Tensor bwdIntermediates;
  const Tensor gradient = auGruBwd(graph, params, prog, stateInit, intermediates, weights, input,
                                   output, outputGrad, inputGrad, &bwdIntermediates, attentions,
                                   attentionsGrad, debugContext, options, cache);
  weightsGrad = auGruWU(graph, params, prog, stateInit, intermediates, bwdIntermediates, weights,
                        input, output, debugContext, options, cache);
  return gradient;
}
Tensor auGruBwdWithWU(Graph &graph, const GruParams &params, Sequence &prog,
                      const Tensor &stateInit, const Tensor &intermediates,
                      const GruWeights &weights, const Tensor &input, const Tensor &realTimeSteps,
                      const Tensor &output, const Tensor &outputGrad, Tensor *inputGrad,
                      GruWeights &weightsGrad, const Tensor &attentions, Tensor *attentionsGrad,
                      const DebugContext &debugContext, const OptionFlags &options,
                      PlanningCache *cache) {
  return auGruBwdWithWU(graph, withSteps("auGruBwdWithWU", params, realTimeSteps), prog, stateInit,
                        intermediates, weights, input, output, outputGrad, inputGrad, weightsGrad,
                        attentions, attentionsGrad, debugContext, options, cache);
}

} // namespace gru
} // namespace popnn
