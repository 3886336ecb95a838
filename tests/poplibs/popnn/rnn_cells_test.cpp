// Tests loops over steps with cells that the program defines: compares h' = tanh(x w + h u),
// element by element, with loops in double, and gradients with differences of these.
#include "operation_run.hpp"

#include <popnn/Rnn.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Reduce.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace rnn_cells {
namespace {

using poplar::DebugNameAndId;
using poplar::FLOAT;
using poplar::Graph;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using popnn::rnn::RnnBatchwiseFlags;
using popnn::rnn::RnnParams;
using popnn::rnn::RnnSlice;
namespace pe = popops::expr;

constexpr std::size_t kSteps = 5, kBatch = 2, kSize = 3, kStep = kBatch * kSize;

struct Numbers {
  Values x = randomValues(kSteps * kStep, -1, 1, 31), h = randomValues(kStep, -1, 1, 32),
         w = randomValues(kSize, -1, 1, 33), u = randomValues(kSize, -1, 1, 34);
  std::vector<unsigned> ends = {kSteps}; ///< steps of the batch, or of each item
  bool reverse = false;
};

struct States {
  Values all = Values(kSteps * kStep), last;
};

States statesOf(const Numbers &n) {
  States s;
  s.last = n.h;
  for (std::size_t i = 0; i != kSteps; ++i) {
    const std::size_t t = n.reverse ? kSteps - 1 - i : i;
    for (std::size_t e = 0; e != kStep; ++e) {
      if (t >= n.ends[n.ends.size() == 1 ? 0 : e / kSize])
        continue;
      double &h = s.last[e];
      h = std::tanh(n.x[t * kStep + e] * n.w[e % kSize] + h * n.u[e % kSize]);
      s.all[t * kStep + e] = h;
    }
  }
  return s;
}

Values gradientOfStates() { return randomValues(kSteps * kStep, -1, 1, 35); }

/// Returns the derivative of the states' sum with these weights.
Values derivative(Numbers n, Values Numbers::*member) {
  const auto objective = [&] {
    const Values states = statesOf(n).all, weights = gradientOfStates();
    double sum = 0;
    for (std::size_t i = 0; i != states.size(); ++i)
      sum += weights[i] * states[i];
    return sum;
  };
  constexpr double kDistance = 1e-5;
  Values d;
  for (double &at : n.*member) {
    const double before = at;
    at = before + kDistance;
    const double above = objective();
    at = before - kDistance;
    d.push_back((above - objective()) / (2 * kDistance));
    at = before;
  }
  return d;
}

/// The layer on a machine.
struct CellRun : OperationRun {
  CellRun(Machine machine, const Numbers &numbers)
      : OperationRun(machine), n(numbers), params(paramsOf()),
        x(popnn::rnn::createInputTensor(graph, params, 1)),
        h(popnn::rnn::createInitialState(graph, params, true, 1, 1)),
        states(popnn::rnn::createOutputTensor(graph, params, 1)),
        w(input(FLOAT, {kSize}, numbers.w, 2)), u(input(FLOAT, {kSize}, numbers.u, 3)) {
    initialise(x, n.x);
    initialise(h, n.h);
    initialise(states, Values(kSteps * kStep));
  }

  popnn::rnn::LoopBodyType forward() const {
    return [this](Graph &g, const Tensor &, const Tensor &, const RnnBatchwiseFlags &flags,
                  std::vector<Tensor> &state, const RnnSlice &slice, std::vector<Tensor> &,
                  Sequence *, const DebugNameAndId &name) {
      Sequence step;
      const Tensor before = state[0][0];
      const Tensor after =
          popops::map(g, pe::Tanh(pe::Add(pe::Mul(pe::_1, pe::_2), pe::Mul(pe::_3, pe::_4))),
                      {slice.inputs[0], w, before, u}, step, {name});
      if (slice.interimOut.valid())
        step.add(Copy(poplar::concat(before, after), slice.interimOut.flatten(0, 2)));
      Tensor written = after;
      if (flags.valid()) {
        written = popops::mul(g, after, flags.mask, step, {name});
        state[0] = popops::map(g, pe::Add(pe::_1, pe::Mul(pe::_2, pe::_3)),
                               {written, before, flags.inverse}, step, {name});
      } else {
        state[0] = after;
      }
      for (const Tensor &output : slice.outputs)
        step.add(Copy(written, output));
      return step;
    };
  }

  std::vector<Tensor> runForward(Tensor *interim = nullptr,
                                 const popnn::rnn::StateSequence &kept = {}) {
    poplar::OptionFlags options;
    return popnn::rnn::Rnn(graph, params, n.reverse, {h}, kept, {x}, nullptr, interim, {states}, {},
                           prog, forward(), 1, options, "forward");
  }

  const Numbers n;
  const RnnParams params;
  const Tensor x, h, states, w, u;

private:
  RnnParams paramsOf() {
    if (n.ends == std::vector<unsigned>{kSteps})
      return {FLOAT, kBatch, kSteps, {kSize, kSize}};
    const Tensor ends =
        input(poplar::UNSIGNED_INT, {n.ends.size()}, Values(n.ends.begin(), n.ends.end()));
    return {FLOAT, kBatch, kSteps, ends, {kSize, kSize}};
  }
};

TEST(RnnCells, SeeEachStepOfTheirSequences) {
  for (const Machine machine : {Machine::Cpu, Machine::TwoIpuModel, Machine::Ipu})
    for (const bool reverse : {false, true}) {
      Numbers n;
      n.reverse = reverse;
      CellRun run(machine, n);
      Tensor interim = popnn::rnn::createOutputTensor(run.graph, run.params, 2, 1);
      const Tensor kept = popnn::rnn::createRecurrentTensor(run.graph, run.params, kSize, 1);
      run.output("last", run.runForward(&interim, {kept, 0})[0]);
      run.output("states", run.states);
      run.output("kept", kept);
      run.output("interim", interim);
      run.run();
      const States expected = statesOf(n);
      EXPECT_TRUE(areClose(run.read("states"), expected.all, 1e-5, 1e-6)) << machineName(machine);
      EXPECT_TRUE(areClose(run.read("kept"), expected.all, 1e-5, 1e-6));
      EXPECT_TRUE(areClose(run.read("last"), expected.last, 1e-5, 1e-6));
      Values both; // the states before and after each step
      for (std::size_t t = 0; t != kSteps; ++t) {
        const bool isFirst = t == (reverse ? kSteps - 1 : 0);
        const auto at = [&](std::size_t step) {
          return expected.all.begin() + static_cast<std::ptrdiff_t>(step * kStep);
        };
        const auto before = isFirst ? n.h.begin() : at(reverse ? t + 1 : t - 1), after = at(t);
        both.insert(both.end(), before, before + kStep);
        both.insert(both.end(), after, after + kStep);
      }
      EXPECT_TRUE(areClose(run.read("interim"), both, 1e-5, 1e-6));
    }
}

TEST(RnnCells, RunTheStepsOfTheBatchOrOfEachItem) {
  for (const std::vector<unsigned> &ends :
       {std::vector<unsigned>{3}, std::vector<unsigned>{0}, std::vector<unsigned>{4, 1}})
    for (const bool reverse : {false, true}) {
      Numbers n;
      n.ends = ends;
      n.reverse = reverse;
      CellRun run(Machine::Model, n);
      run.output("last", run.runForward()[0]);
      run.output("states", run.states);
      run.run();
      const States expected = statesOf(n);
      EXPECT_TRUE(areClose(run.read("states"), expected.all, 1e-5, 1e-6));
      EXPECT_TRUE(areClose(run.read("last"), expected.last, 1e-5, 1e-6));
    }
}

/// The states may be exchanged: the result of a cell is a copy of the state before the step.
TEST(RnnCells, MayExchangeTheirStates) {
  const Numbers n;
  CellRun run(Machine::Model, n);
  const Tensor other = run.input(FLOAT, {1, kBatch, kSize}, Values(kStep, 7), 9);
  poplar::OptionFlags options{{"codeReuse", "true"}};
  const auto states = popnn::rnn::Rnn(
      run.graph, run.params, false, {run.h, other}, {}, {}, nullptr, nullptr, {}, {}, run.prog,
      [](Graph &, const Tensor &, const Tensor &, const RnnBatchwiseFlags &,
         std::vector<Tensor> &state, const RnnSlice &, std::vector<Tensor> &, Sequence *,
         const DebugNameAndId &) {
        std::swap(state[0], state[1]);
        return Sequence();
      },
      1, options);
  run.output("first", states[0]);
  run.output("second", states[1]);
  run.run(); // an odd number of steps
  EXPECT_EQ(run.read("first"), Values(kStep, 7));
  EXPECT_TRUE(areClose(run.read("second"), n.h, 1e-6, 1e-7));
}

/// The terms of the backward pass: the gradient at the sum of a step, and from it the gradients of
/// its operands.
struct Backward {
  CellRun &run;
  const Tensor previous = popnn::rnn::shiftRnnTensor(run.graph, run.params, run.states, run.h,
                                                     run.prog, 1),
               gradient = run.input(FLOAT, {kSteps, kBatch, kSize}, gradientOfStates(), 5),
               ofState = zeros({1, kBatch, kSize}), ofW = zeros({kSize}), ofU = zeros({kSize});
  /// Must be written before, because the update of a step reads all of a tensor that is not laid
  /// out by steps.
  const Tensor ofX = zeros({kSteps, kBatch, kSize});

  Tensor zeros(const Shape &shape) { return run.input(FLOAT, shape, Values(elementsOf(shape)), 6); }

  /// \returns the gradient at the sum; sets the state to the one before the step
  Tensor atSum(std::vector<Tensor> &state, const Tensor &after, const Tensor &gradientHere,
               Sequence &step) const {
    const Tensor sum = popops::map(
        run.graph, pe::Mul(pe::Add(pe::_1, pe::_2), pe::Sub(pe::Const(1), pe::Mul(pe::_3, pe::_3))),
        {state[0][0], gradientHere, after}, step);
    state[0] = popops::mul(run.graph, sum, run.u, step);
    return sum;
  }
  void addProducts(const Tensor &sums, const Tensor &factors, const Tensor &into,
                   Sequence &step) const {
    const Tensor products = popops::mul(run.graph, sums.reshape(factors.shape()), factors, step);
    popops::reduceWithOutput(run.graph, products.flatten(0, products.rank() - 1), into, {0},
                             {popops::Operation::ADD, true}, step);
  }
  void expectGradients(const Tensor &lastState) {
    run.output("h", lastState);
    run.output("w", ofW);
    run.output("u", ofU);
    run.run();
    EXPECT_TRUE(areClose(run.read("h"), derivative(run.n, &Numbers::h), 1e-4, 1e-5));
    EXPECT_TRUE(areClose(run.read("w"), derivative(run.n, &Numbers::w), 1e-4, 1e-5));
    EXPECT_TRUE(areClose(run.read("u"), derivative(run.n, &Numbers::u), 1e-4, 1e-5));
  }
};

/// The weights' gradients are tensors that the cell creates in its first call, and sets to zero
/// before the loop.
TEST(RnnCells, TrainBackwardsWithTensorsThatTheyCreate) {
  CellRun run(Machine::Model, {});
  run.runForward();
  Backward backward{run};
  std::vector<Tensor> made;
  poplar::OptionFlags options;
  const auto states = popnn::rnn::Rnn(
      run.graph, run.params, true, {backward.ofState}, {},
      {backward.gradient, run.x, backward.previous}, &run.states, nullptr, {backward.ofX},
      {Tensor(), Tensor()}, run.prog,
      [&](Graph &g, const Tensor &, const Tensor &, const RnnBatchwiseFlags &,
          std::vector<Tensor> &state, const RnnSlice &slice, std::vector<Tensor> &created,
          Sequence *initProg, const DebugNameAndId &) {
        for (Tensor &each : created)
          if (!each.valid()) {
            each = run.variable(FLOAT, {kSize});
            popops::zero(g, each, *initProg);
          }
        Sequence step;
        const Tensor sum = backward.atSum(state, slice.interimIn, slice.inputs[0], step);
        step.add(Copy(popops::mul(g, sum, run.w, step), slice.outputs[0]));
        backward.addProducts(sum, slice.inputs[1], created[0], step);
        backward.addProducts(sum, slice.inputs[2], created[1], step);
        made = created;
        return step;
      },
      1, options);
  run.prog.add(Copy(made[0], backward.ofW));
  run.prog.add(Copy(made[1], backward.ofU));
  run.output("x", backward.ofX);
  backward.expectGradients(states[0]);
  EXPECT_TRUE(areClose(run.read("x"), derivative(run.n, &Numbers::x), 1e-4, 1e-5));
}

TEST(RnnCells, GatherSeveralStepsAtOnce) {
  for (const unsigned stepsPerGather : {1u, 2u, 5u, 9u}) {
    CellRun run(Machine::Model, {});
    run.runForward();
    Backward backward{run};
    std::vector<unsigned> gathered;
    poplar::OptionFlags options;
    const auto states = popnn::rnn::Rnn(
        run.graph, run.params, {backward.ofState}, {}, {backward.gradient}, run.states, 1, run.prog,
        [&](Graph &, const Tensor &, const Tensor &, const RnnBatchwiseFlags &,
            std::vector<Tensor> &state, const RnnSlice &slice, std::vector<Tensor> &, Sequence *,
            const DebugNameAndId &) {
          Sequence step;
          const Tensor sum = backward.atSum(state, slice.interimIn, slice.inputs[0], step);
          step.add(Copy(sum, slice.interimOut[0]));
          return step;
        },
        {run.x, backward.previous},
        [&](Graph &, const RnnSlice &slice, unsigned steps, Sequence *, const DebugNameAndId &) {
          gathered.push_back(steps);
          Sequence sums;
          backward.addProducts(slice.interimIn, slice.inputs[0], backward.ofW, sums);
          backward.addProducts(slice.interimIn, slice.inputs[1], backward.ofU, sums);
          return sums;
        },
        1, stepsPerGather, options);
    backward.expectGradients(states[0]);
    EXPECT_EQ(gathered, stepsPerGather == 2
                            ? (std::vector<unsigned>{1, 2})
                            : (std::vector<unsigned>{std::min(stepsPerGather, 5u)}));
  }
}

TEST(RnnCells, NameTheMismatch) {
  CellRun run(Machine::Model, {});
  const auto message = [&](const std::vector<Tensor> &inputs, const popnn::rnn::StateSequence &kept,
                           poplar::OptionFlags options, unsigned shards) -> std::string {
    try {
      popnn::rnn::Rnn(run.graph, run.params, false, {run.h}, kept, inputs, nullptr, nullptr, {}, {},
                      run.prog, run.forward(), shards, options);
    } catch (const std::exception &e) {
      return e.what();
    }
    return "no error";
  };
  EXPECT_EQ(message({run.x.slice(0, 4)}, {}, {}, 1),
            "Rnn: a sequence of shape {4,2,3} does not have 5 steps");
  EXPECT_EQ(message({run.x}, {run.states, 1}, {}, 1), "Rnn: there is no state 1");
  EXPECT_EQ(message({run.x}, {}, {}, 0), "Rnn: time cannot be cut into 0 parts");
  EXPECT_THAT(message({run.x}, {}, {{"reuseCode", "true"}}, 1),
              ::testing::StartsWith("rnn: Unrecognised option 'reuseCode'"));
}

} // namespace
} // namespace rnn_cells
} // namespace copse::test
