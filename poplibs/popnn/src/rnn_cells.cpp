// Loops over the steps of a sequence with a cell of the program's own.
#include "checks.hpp"
#include "popnn/Rnn.hpp"
#include "time_steps.hpp"

#include <algorithm>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Zero.hpp>
#include <poputil/OptionParsing.hpp>
#include <poputil/Util.hpp>

namespace popnn {
namespace rnn {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::If;
using poplar::program::Sequence;
namespace pe = popops::expr;

namespace {

constexpr const char *kFunction = "Rnn";

void checkOptions(const OptionFlags &options) {
  bool ignored = false;
  poplibs::OptionSpec("rnn", {{"codeReuse", poplibs::OptionHandler::createWithBool(ignored)}})
      .parse(options);
}

/// The state that all steps of a loop share.
class Cells {
public:
  Cells(Graph &graph, const RnnParams &params, const std::vector<Tensor> &initState,
        const StateSequence &stateSequence, const std::vector<Tensor> &inputs,
        const LoopBodyType &loopFn, Sequence &prog, const DebugContext &debugContext)
      : graph_(graph), params_(params), inputs_(byStep(inputs)), loopFn_(loopFn), prog_(prog),
        debugContext_(debugContext), shardIndex_(number(0)) {
    checkLayer(kFunction, params);
    for (const Tensor &state : initState)
      states_.push_back(carried(graph, state, prog, {debugContext, "state"}));
    if (stateSequence.output.valid()) {
      require(kFunction, stateSequence.stateIndex < states_.size(),
              "there is no state " + std::to_string(stateSequence.stateIndex));
      stateSequence_ = {byStep(stateSequence.output), stateSequence.stateIndex};
    }
  }

  const std::vector<Tensor> &states() const { return states_; }
  Graph &graph() { return graph_; }
  const RnnParams &params() const { return params_; }
  const DebugContext &name() const { return debugContext_; }
  Sequence &initProg() { return initProg_; }
  void create(const std::vector<Tensor> &created) { created_ = created; }

  Tensor byStep(const Tensor &sequence) const {
    return sequence.valid() ? rnn::byStep(kFunction, params_, sequence) : sequence;
  }
  std::vector<Tensor> byStep(const std::vector<Tensor> &sequences) const {
    std::vector<Tensor> all;
    for (const Tensor &sequence : sequences)
      all.push_back(byStep(sequence));
    return all;
  }
  /// Returns a constant {1}.
  Tensor number(unsigned value) const {
    const Tensor t =
        graph_.addConstant(poplar::UNSIGNED_INT, {1}, value, {debugContext_, "number"});
    graph_.setTileMapping(t, 0);
    return t;
  }

  /// Adds a step to \p into, with what \p after does with its slice. Nothing of it runs if the
  /// batch has ended.
  /// \param slice  without the inputs
  void addStep(const Tensor &index, Sequence &into,
               const std::function<RnnSlice(TimeStep &)> &slice,
               const std::function<void(TimeStep &, const RnnSlice &)> &after) {
    Sequence body;
    TimeStep step(graph_, params_, index, body, debugContext_);
    RnnSlice here = slice(step);
    for (const Tensor &input : inputs_)
      here.inputs.push_back(step.read(input));
    std::vector<Tensor> states = states_;
    body.add(loopFn_(graph_, shardIndex_, index, flags(step, index), states, here, created_,
                     &initProg_, {debugContext_.getPathName() + "/cell"}));
    update(states, body);
    if (stateSequence_.output.valid())
      step.write(stateSequence_.output,
                 states_[stateSequence_.stateIndex].reshape(stateSequence_.output[0].shape()));
    after(step, here);
    if (!params_.variableTimeSteps() || params_.batchVariableTimeSteps()) {
      into.add(body);
      return;
    }
    const Tensor isOfBatch =
        popops::lt(graph_, index, params_.varTimeSteps, into, {debugContext_, "isOfBatch"});
    into.add(If(isOfBatch[0], body, Sequence(), {debugContext_, "step"}));
  }

  /// Appends \p loop after the programs that the cells run before the loop.
  void finish(const Sequence &loop) {
    prog_.add(initProg_);
    prog_.add(loop);
  }

private:
  RnnBatchwiseFlags flags(TimeStep &step, const Tensor &index) {
    if (!params_.batchVariableTimeSteps())
      return {};
    const Tensor mask = popops::map(graph_, pe::Cast(pe::Lt(pe::_1, pe::_2), params_.dataType),
                                    {index, params_.varTimeSteps.expand({1})}, step.prog(),
                                    {debugContext_, "mask"});
    return {mask, popops::map(graph_, pe::Sub(pe::Const(1), pe::_1), {mask}, step.prog(),
                              {debugContext_, "inverse"})};
  }

  /// Copies the tensors that a cell has put in the places of its states.
  void update(std::vector<Tensor> states, Sequence &body) {
    require(kFunction, states.size() == states_.size(), "a cell has changed its number of states");
    std::vector<std::size_t> replaced;
    for (std::size_t i = 0; i != states.size(); ++i)
      if (states[i] != states_[i])
        replaced.push_back(i);
    for (const std::size_t i : replaced) { // may be parts of other states
      require(kFunction,
              states[i].numElements() == states_[i].numElements() &&
                  states[i].elementType() == states_[i].elementType(),
              "a cell has put a tensor of shape " + states[i].shapeToString() +
                  " in the place of a state of shape " + states_[i].shapeToString());
      states[i] = poputil::duplicate(graph_, states[i], body, {debugContext_, "newState"});
    }
    for (const std::size_t i : replaced)
      body.add(Copy(states[i].reshape(states_[i].shape()), states_[i], false, debugContext_));
  }

  Graph &graph_;
  const RnnParams &params_;
  const std::vector<Tensor> inputs_;
  const LoopBodyType &loopFn_;
  Sequence &prog_;
  const DebugContext &debugContext_;
  const Tensor shardIndex_;
  std::vector<Tensor> states_;
  StateSequence stateSequence_{};
  std::vector<Tensor> created_;
  Sequence initProg_;
};

/// Keeps what the cells of some steps have put out until a gather has taken it.
class Gathers {
public:
  Gathers(Cells &cells, const Tensor &interimIn, unsigned numTemps,
          const std::vector<Tensor> &gatherInputs, const GatherBodyType &gatherFn)
      : cells_(cells), interimIn_(cells.byStep(interimIn)), numTemps_(numTemps),
        inputs_(cells.byStep(gatherInputs)), gatherFn_(gatherFn) {}

  /// Adds steps, from the last, and their gather.
  /// \param first  {1}, the number of the first of the steps
  void addSteps(const Tensor &first, unsigned steps, Sequence &into) {
    Graph &graph = cells_.graph();
    const RnnParams &params = cells_.params();
    const DebugContext &name = cells_.name();
    RnnSlice all;
    if (numTemps_ != 0) {
      all.interimIn = popops::createSliceableTensor(
          graph, params.dataType, {steps, numTemps_, params.batchSize, params.layerSizes.back()},
          {0}, {1}, 0, {name, "temporaries"});
      popops::zero(graph, all.interimIn, into, {name, "temporaries"});
    }
    into.add(popops::countedLoop(graph, steps,
                                 [&](const Tensor &counter) {
                                   Sequence step;
                                   addStep(first, counter, steps, all.interimIn, step);
                                   return step;
                                 },
                                 {name, "steps"}));
    for (const Tensor &input : inputs_)
      all.inputs.push_back(
          popops::dynamicSlice(graph, input, first, {0}, {steps}, into, {name, "gather"}));
    into.add(gatherFn_(graph, all, steps, &cells_.initProg(), {name.getPathName() + "/gather"}));
  }

private:
  void addStep(const Tensor &first, const Tensor &counter, unsigned steps, const Tensor &kept,
               Sequence &into) {
    Graph &graph = cells_.graph();
    const auto fromLast = [&](const pe::Any &start, const std::vector<Tensor> &of) {
      return popops::map(graph, pe::Sub(start, pe::_1), of, into, {cells_.name(), "index"});
    };
    const Tensor place = fromLast(pe::Const(steps - 1), {counter});
    const Tensor index = popops::add(graph, first, place, into, {cells_.name(), "index"});
    cells_.addStep(
        index, into,
        [&](TimeStep &step) {
          RnnSlice slice;
          if (interimIn_.valid())
            slice.interimIn = step.read(interimIn_);
          if (kept.valid())
            slice.interimOut = graph.clone(kept[0], {cells_.name(), "temporary"});
          return slice;
        },
        [&](TimeStep &step, const RnnSlice &slice) {
          if (kept.valid())
            TimeStep(graph, cells_.params(), place, step.prog(), cells_.name())
                .write(kept, slice.interimOut);
        });
  }

  Cells &cells_;
  const Tensor interimIn_;
  const unsigned numTemps_;
  const std::vector<Tensor> inputs_;
  const GatherBodyType &gatherFn_;
};

} // namespace

std::vector<Tensor> Rnn(Graph &graph, const RnnParams &params, bool reverse,
                        const std::vector<Tensor> &initState, const StateSequence &stateSequence,
                        const std::vector<Tensor> &inputs, const Tensor *interimIn,
                        Tensor *interimOut, const std::vector<Tensor> &outputs,
                        const std::vector<Tensor> &created, Sequence &prog,
                        const LoopBodyType &loopFn, unsigned numShards, OptionFlags &options,
                        const DebugContext &debugContext) {
  checkOptions(options);
  checkShards(kFunction, numShards);
  Cells cells(graph, params, initState, stateSequence, inputs, loopFn, prog, debugContext);
  cells.create(created);
  const std::vector<Tensor> written = cells.byStep(outputs);
  const Tensor read = interimIn == nullptr ? Tensor() : cells.byStep(*interimIn),
               kept = interimOut == nullptr ? Tensor() : cells.byStep(*interimOut);
  const auto slice = [&](TimeStep &step) {
    RnnSlice here;
    if (read.valid())
      here.interimIn = step.read(read);
    if (kept.valid())
      here.interimOut = graph.clone(kept[0], {debugContext, "interim"});
    for (const Tensor &output : written)
      here.outputs.push_back(graph.clone(output[0], {debugContext, "output"}));
    return here;
  };
  const auto write = [&](TimeStep &step, const RnnSlice &here) {
    if (kept.valid())
      step.write(kept, here.interimOut);
    for (std::size_t i = 0; i != written.size(); ++i)
      step.write(written[i], here.outputs[i]);
  };
  Sequence loop;
  forEachStep(graph, params, reverse, loop, debugContext,
              [&](TimeStep &step) { cells.addStep(step.index(), step.prog(), slice, write); });
  cells.finish(loop);
  return cells.states();
}

std::vector<Tensor> Rnn(Graph &graph, const RnnParams &params, const std::vector<Tensor> &initState,
                        const StateSequence &stateSequence, const std::vector<Tensor> &inputs,
                        const Tensor &interimIn, const unsigned numTemps, Sequence &prog,
                        const LoopBodyType &loopFn, const std::vector<Tensor> &gatherInputs,
                        const GatherBodyType &gatherFn, unsigned numShards, unsigned stepsPerGather,
                        OptionFlags &options, const DebugContext &debugContext) {
  checkOptions(options);
  checkShards(kFunction, numShards);
  require(kFunction, stepsPerGather != 0, "a gather of 0 steps");
  Cells cells(graph, params, initState, stateSequence, inputs, loopFn, prog, debugContext);
  Gathers gathers(cells, interimIn, numTemps, gatherInputs, gatherFn);
  const auto steps = static_cast<unsigned>(params.maxTimeSteps);
  const unsigned each = std::min(stepsPerGather, steps), full = steps / each, rest = steps % each;
  Sequence loop;
  if (rest != 0)
    gathers.addSteps(cells.number(full * each), rest, loop);
  loop.add(popops::countedLoop(graph, full,
                               [&](const Tensor &counter) {
                                 Sequence gathered;
                                 const Tensor first = popops::map(
                                     graph,
                                     pe::Mul(pe::Sub(pe::Const(full - 1), pe::_1), pe::Const(each)),
                                     {counter}, gathered, {debugContext, "first"});
                                 gathers.addSteps(first, each, gathered);
                                 return gathered;
                               },
                               {debugContext, "gathers"}));
  cells.finish(loop);
  return cells.states();
}

} // namespace rnn
} // namespace popnn
