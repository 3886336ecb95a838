// Compares LSTM and GRU with loops in double, and gradients with differences of these.
#include "operation_run.hpp"

#include <popnn/Gru.hpp>
#include <popnn/Lstm.hpp>
#include <poputil/exceptions.hpp>

namespace copse::test {
namespace recurrent {
namespace {

using poplar::FLOAT;
using poplar::HALF;
using poplar::Tensor;
using poplar::UNSIGNED_INT;
using popnn::NonLinearityType;

constexpr std::size_t kSteps = 4, kBatch = 3, kIn = 2, kOut = 3;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

/// The inputs of a layer; some of them may be empty.
struct Layer {
  std::size_t units = 0;
  bool full = true;           ///< outputs of all steps
  std::vector<unsigned> ends; ///< steps of each item, or none: all have kSteps
  Values x, h, c, w, u, b, attention;
  double ofCell = 0, ofLast = 0; ///< weights of the last states in the objective

  bool has(std::size_t step, std::size_t item) const {
    return ends.empty() || step < ends[ends.size() == 1 ? 0 : item];
  }
};

Layer layerOf(std::size_t units, std::size_t biases, const poplar::Type &type = FLOAT) {
  Layer l;
  l.units = units;
  std::mt19937 random(11);
  const auto values = [&](std::size_t n) { return randomValues(random, type, n, -1, 1); };
  l.x = values(kSteps * kBatch * kIn);
  l.h = values(kBatch * kOut);
  l.c = values(kBatch * kOut);
  l.w = values(units * kIn * kOut);
  l.u = values(units * kOut * kOut);
  l.b = values(units * biases * kOut);
  l.attention = randomValues(random, type, kBatch * kSteps, 0, 1);
  return l;
}

struct Results {
  Values outputs, last, cell; ///< {T, B, out}, {B, out}, {B, out}
};

/// Returns x W (or nothing, without an \p x) + h U of one unit.
double weighted(const Layer &l, std::size_t unit, std::size_t step, std::size_t item,
                std::size_t column, const Values &h, bool ofInput, bool ofState) {
  double sum = 0;
  for (std::size_t i = 0; ofInput && i != kIn; ++i)
    sum += l.x[(step * kBatch + item) * kIn + i] * l.w[(unit * kIn + i) * kOut + column];
  for (std::size_t i = 0; ofState && i != kOut; ++i)
    sum += h[item * kOut + i] * l.u[(unit * kOut + i) * kOut + column];
  return sum;
}

Results lstm(const Layer &l, const std::vector<BasicLstmCellUnit> &order) {
  Results r{{}, l.h, l.c};
  for (std::size_t t = 0; t != kSteps; ++t) {
    const Values h = r.last;
    for (std::size_t n = 0; n != kBatch; ++n)
      for (std::size_t j = 0; j != kOut; ++j) {
        if (!l.has(t, n)) {
          r.outputs.push_back(0);
          continue;
        }
        double z[4];
        for (std::size_t k = 0; k != 4; ++k)
          z[order[k]] = weighted(l, k, t, n, j, h, true, true) + l.b[k * kOut + j];
        double &c = r.cell[n * kOut + j];
        c = sigmoid(z[BASIC_LSTM_CELL_FORGET_GATE]) * c +
            sigmoid(z[BASIC_LSTM_CELL_INPUT_GATE]) * std::tanh(z[BASIC_LSTM_CELL_CANDIDATE]);
        r.last[n * kOut + j] = sigmoid(z[BASIC_LSTM_CELL_OUTPUT_GATE]) * std::tanh(c);
        r.outputs.push_back(r.last[n * kOut + j]);
      }
  }
  return r;
}

Results gru(const Layer &l, const std::vector<BasicGruCellUnit> &order, bool resetAfter,
            bool attention) {
  Results r{{}, l.h, {}};
  std::size_t place[3];
  for (std::size_t k = 0; k != 3; ++k)
    place[order[k]] = k;
  const auto bias = [&](std::size_t unit, std::size_t which, std::size_t j) {
    return l.b[(place[unit] * (resetAfter ? 2 : 1) + which) * kOut + j];
  };
  for (std::size_t t = 0; t != kSteps; ++t) {
    const Values h = r.last;
    const auto gate = [&](std::size_t unit, std::size_t n, std::size_t j) {
      return sigmoid(weighted(l, place[unit], t, n, j, h, true, true) + bias(unit, 0, j) +
                     (resetAfter ? bias(unit, 1, j) : 0));
    };
    Values reset(kBatch * kOut); // r h
    for (std::size_t i = 0; i != reset.size(); ++i)
      reset[i] = h[i] * gate(BASIC_GRU_CELL_RESET_GATE, i / kOut, i % kOut);
    for (std::size_t n = 0; n != kBatch; ++n)
      for (std::size_t j = 0; j != kOut; ++j) {
        if (!l.has(t, n)) {
          r.outputs.push_back(0);
          continue;
        }
        const std::size_t c = place[BASIC_GRU_CELL_CANDIDATE];
        double sum = weighted(l, c, t, n, j, h, true, false) + bias(BASIC_GRU_CELL_CANDIDATE, 0, j);
        if (resetAfter)
          sum += gate(BASIC_GRU_CELL_RESET_GATE, n, j) *
                 (weighted(l, c, t, n, j, h, false, true) + bias(BASIC_GRU_CELL_CANDIDATE, 1, j));
        else
          sum += weighted(l, c, t, n, j, reset, false, true);
        double update = gate(BASIC_GRU_CELL_UPDATE_GATE, n, j);
        if (attention)
          update *= 1 - l.attention[n * kSteps + t];
        r.last[n * kOut + j] = update * h[n * kOut + j] + (1 - update) * std::tanh(sum);
        r.outputs.push_back(r.last[n * kOut + j]);
      }
  }
  return r;
}

/// Returns weights of the objective's terms.
Values gradientOf(std::size_t n, unsigned seed) { return randomValues(n, -1, 1, seed); }

/// Returns the derivative of the result of \p run for \p l, with respect to one of its members.
template <typename Run> Values derivative(Layer l, Values Layer::*member, const Run &run) {
  const auto objective = [&] {
    const Results r = run(l);
    const Values &output = l.full ? r.outputs : r.last;
    const Values ofOutput = gradientOf(output.size(), 21), ofCell = gradientOf(r.cell.size(), 22),
                 ofLast = gradientOf(r.last.size(), 23);
    double sum = 0;
    for (std::size_t i = 0; i != output.size(); ++i)
      sum += ofOutput[i] * output[i];
    for (std::size_t i = 0; i != r.cell.size(); ++i)
      sum += l.ofCell * ofCell[i] * r.cell[i];
    for (std::size_t i = 0; i != r.last.size(); ++i)
      sum += l.ofLast * ofLast[i] * r.last[i];
    return sum;
  };
  constexpr double kStep = 1e-5;
  Values d((l.*member).size());
  for (std::size_t i = 0; i != d.size(); ++i) {
    double &at = (l.*member)[i];
    const double before = at;
    at = before + kStep;
    const double above = objective();
    at = before - kStep;
    d[i] = (above - objective()) / (2 * kStep);
    at = before;
  }
  return d;
}

/// The tensors of a layer on a machine.
struct LayerRun : OperationRun {
  LayerRun(Machine machine, const Layer &l, const poplar::Type &type)
      : OperationRun(machine), type_(type), x(of({kSteps, kBatch, kIn}, l.x)),
        h(of({kBatch, kOut}, l.h)), c(of({kBatch, kOut}, l.c)), w(of({l.units, kIn, kOut}, l.w)),
        u(of({l.units, kOut, kOut}, l.u)), attention(of({kBatch, kSteps}, l.attention)) {
    if (!l.ends.empty())
      ends = input(UNSIGNED_INT, {l.ends.size()}, Values(l.ends.begin(), l.ends.end()));
  }
  Tensor of(const Shape &shape, const Values &values) {
    return input(type_, shape, values, ++seed_);
  }
  template <typename Params> Params params() const {
    return ends.valid() ? Params(type_, kBatch, kSteps, ends, {kIn, kOut})
                        : Params(type_, kBatch, kSteps, {kIn, kOut});
  }

private:
  poplar::Type type_;
  unsigned seed_ = 0;

public:
  Tensor x, h, c, w, u, attention, ends;
};

struct LstmCase {
  const char *name;
  bool full;
  std::vector<unsigned> ends;
  const char *recomputation;
  std::vector<BasicLstmCellUnit> order;
  bool lastState = false; ///< the objective has the last output besides
};

const std::vector<BasicLstmCellUnit> kOtherOrder = {
    BASIC_LSTM_CELL_INPUT_GATE, BASIC_LSTM_CELL_OUTPUT_GATE, BASIC_LSTM_CELL_FORGET_GATE,
    BASIC_LSTM_CELL_CANDIDATE};
const auto kOrder = popnn::lstm::getDefaultBasicLstmCellOrder();

class LstmTest : public ::testing::TestWithParam<LstmCase> {};

TEST_P(LstmTest, FollowsItsFormulaeAndTheirDerivatives) {
  const LstmCase &c = GetParam();
  Layer l = layerOf(4, 1);
  l.full = c.full;
  l.ends = c.ends;
  l.ofCell = 1;
  l.ofLast = c.lastState ? 1 : 0;
  LayerRun run(Machine::Model, l, FLOAT);
  auto params = run.params<popnn::lstm::LstmParams>();
  params.outputFullSequence = c.full;
  params.cellOrder = c.order;
  const poplar::OptionFlags options = {{"recomputationMode", c.recomputation}};
  const popnn::lstm::LstmState state{run.h, run.c};
  const popnn::lstm::LstmWeights weights{run.w, run.u, run.of({4, kOut}, l.b)};
  Tensor intermediates, inputGrad;
  const auto forward = popnn::lstm::lstmFwd(run.graph, params, state, run.x, weights,
                                            &intermediates, run.prog, "lstm", options);
  const std::size_t kept = std::string(c.recomputation) == "none" ? 6 : 4;
  EXPECT_EQ(intermediates.shape(), (Shape{kSteps, kept + (c.full ? 0 : 1), kBatch, kOut}));
  run.output("output", forward.first);
  run.output("cell", forward.second);
  const Tensor outputGrad =
      run.of(forward.first.shape(), gradientOf(forward.first.numElements(), 21));
  const Tensor cellGrad = run.of({kBatch, kOut}, gradientOf(kBatch * kOut, 22));
  const popnn::lstm::LstmState lastGrad{run.of({kBatch, kOut}, gradientOf(kBatch * kOut, 23)),
                                        cellGrad};
  const popnn::lstm::LastStateGrad last =
      c.lastState ? popnn::lstm::LastStateGrad(&lastGrad) : popnn::lstm::LastStateGrad(&cellGrad);
  popnn::lstm::LstmWeights weightsGrad;
  const auto stateGrad = popnn::lstm::lstmBwdWithWU(
      run.graph, params, run.prog, state, intermediates, weights, run.x, forward.first, outputGrad,
      last, &inputGrad, weightsGrad, "lstm", options);
  EXPECT_EQ(weightsGrad.inputWeights.shape(), run.w.shape());
  EXPECT_EQ(weightsGrad.outputWeights.shape(), run.u.shape());
  run.output("x", inputGrad);
  run.output("h", stateGrad.output);
  run.output("c", stateGrad.cellState);
  run.output("w", weightsGrad.inputWeights);
  run.output("u", weightsGrad.outputWeights);
  run.output("b", weightsGrad.biases);
  run.run();
  const auto reference = [&](const Layer &layer) { return lstm(layer, c.order); };
  const Results expected = reference(l);
  EXPECT_TRUE(areClose(run.read("output"), c.full ? expected.outputs : expected.last, 1e-4, 1e-5));
  EXPECT_TRUE(areClose(run.read("cell"), expected.cell, 1e-4, 1e-5));
  EXPECT_TRUE(areClose(run.read("x"), derivative(l, &Layer::x, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("h"), derivative(l, &Layer::h, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("c"), derivative(l, &Layer::c, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("w"), derivative(l, &Layer::w, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("u"), derivative(l, &Layer::u, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("b"), derivative(l, &Layer::b, reference), 1e-3, 1e-5));
}

INSTANTIATE_TEST_SUITE_P(
    Layers, LstmTest,
    ::testing::Values(
        LstmCase{"full", true, {}, "none", kOrder},
        LstmCase{"last_output", false, {}, "none", kOrder},
        LstmCase{"recomputed", true, {}, "cellAndTanh", kOrder},
        LstmCase{"other_order", true, {}, "none", kOtherOrder, true},
        LstmCase{"steps_of_items", true, {2, 4, 0}, "none", kOtherOrder},
        LstmCase{"steps_of_items_last_output", false, {2, 4, 0}, "cellAndTanh", kOrder, true},
        LstmCase{"steps_of_the_batch", false, {3}, "none", kOrder}),
    [](const auto &p) { return p.param.name; });

TEST(Lstm, InfersOnEveryMachineWithTensorsOfItsOwn) {
  for (const Machine machine : {Machine::Cpu, Machine::TwoIpuModel, Machine::Ipu}) {
    const Layer l = layerOf(4, 1, HALF);
    OperationRun run(machine);
    const popnn::lstm::LstmParams params(HALF, kBatch, kSteps, {kIn, kOut});
    const Tensor x = popnn::lstm::createInput(run.graph, params, "x");
    const auto state = popnn::lstm::createInitialState(run.graph, params, "state");
    const auto weights = popnn::lstm::createWeights(run.graph, params, "weights");
    EXPECT_EQ(state.getAsTensor().shape(), (Shape{2, kBatch, kOut}));
    run.initialise(x, l.x);
    run.initialise(weights.inputWeights, l.w);
    run.initialise(weights.outputWeights, l.u);
    run.initialise(weights.biases, l.b);
    popnn::lstm::zeroInitialState(run.graph, state, run.prog);
    run.output("y", popnn::lstm::lstmFwd(run.graph, params, run.prog, state, weights, x, nullptr,
                                         "lstm", {{"inferenceOnly", "true"}}));
    run.run();
    Layer fromZero = l;
    fromZero.h = fromZero.c = Values(kBatch * kOut);
    EXPECT_TRUE(areClose(run.read("y"), lstm(fromZero, kOrder).outputs, 0.02, 0.01))
        << machineName(machine);
  }
}

struct GruCase {
  const char *name;
  bool full, resetAfter, attention;
  std::vector<unsigned> ends;
  std::vector<BasicGruCellUnit> order;
};

const auto kGruOrder = popnn::gru::getDefaultBasicGruCellOrder();
const std::vector<BasicGruCellUnit> kOtherGruOrder = {
    BASIC_GRU_CELL_UPDATE_GATE, BASIC_GRU_CELL_CANDIDATE, BASIC_GRU_CELL_RESET_GATE};

class GruTest : public ::testing::TestWithParam<GruCase> {};

TEST_P(GruTest, FollowsItsFormulaeAndTheirDerivatives) {
  const GruCase &c = GetParam();
  Layer l = layerOf(3, c.resetAfter ? 2 : 1);
  l.full = c.full;
  l.ends = c.ends;
  LayerRun run(Machine::Model, l, FLOAT);
  auto params = run.params<popnn::gru::GruParams>();
  params.outputFullSequence = c.full;
  params.resetAfter = c.resetAfter;
  params.cellOrder = c.order;
  const popnn::gru::GruWeights weights{
      run.w, run.u, run.of(c.resetAfter ? Shape{3, 2, kOut} : Shape{3, kOut}, l.b)};
  Tensor intermediates, inputGrad, attentionGrad;
  popnn::gru::GruWeights weightsGrad;
  const Tensor output = c.attention ? popnn::gru::auGruFwd(run.graph, params, run.h, run.x, weights,
                                                           &intermediates, run.attention, run.prog)
                                    : popnn::gru::gruFwd(run.graph, params, run.h, run.x, weights,
                                                         &intermediates, run.prog);
  const Tensor outputGrad = run.of(output.shape(), gradientOf(output.numElements(), 21));
  const Tensor stateGrad =
      c.attention ? popnn::gru::auGruBwdWithWU(run.graph, params, run.prog, run.h, intermediates,
                                               weights, run.x, output, outputGrad, &inputGrad,
                                               weightsGrad, run.attention, &attentionGrad, "gru",
                                               {{"inferenceOnly", "false"}}, nullptr)
                  : popnn::gru::gruBwdWithWU(run.graph, params, run.prog, run.h, intermediates,
                                             weights, run.x, output, outputGrad, &inputGrad,
                                             weightsGrad, "gru", {}, nullptr);
  run.output("output", output);
  run.output("x", inputGrad);
  run.output("h", stateGrad);
  run.output("w", weightsGrad.inputWeights);
  run.output("u", weightsGrad.outputWeights);
  run.output("b", weightsGrad.biases);
  if (c.attention)
    run.output("attention", attentionGrad);
  run.run();
  const auto reference = [&](const Layer &layer) {
    return gru(layer, c.order, c.resetAfter, c.attention);
  };
  const Results expected = reference(l);
  EXPECT_TRUE(areClose(run.read("output"), c.full ? expected.outputs : expected.last, 1e-4, 1e-5));
  EXPECT_TRUE(areClose(run.read("x"), derivative(l, &Layer::x, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("h"), derivative(l, &Layer::h, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("w"), derivative(l, &Layer::w, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("u"), derivative(l, &Layer::u, reference), 1e-3, 1e-5));
  EXPECT_TRUE(areClose(run.read("b"), derivative(l, &Layer::b, reference), 1e-3, 1e-5));
  if (c.attention) {
    EXPECT_TRUE(
        areClose(run.read("attention"), derivative(l, &Layer::attention, reference), 1e-3, 1e-5));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Layers, GruTest,
    ::testing::Values(GruCase{"full", true, false, false, {}, kGruOrder},
                      GruCase{"last_output", false, false, false, {}, kOtherGruOrder},
                      GruCase{"reset_after", true, true, false, {}, kOtherGruOrder},
                      GruCase{"attention", true, false, true, {}, kGruOrder},
                      GruCase{"steps_of_items", true, true, true, {2, 4, 0}, kGruOrder},
                      GruCase{
                          "steps_of_items_last_output", false, false, false, {2, 4, 0}, kGruOrder}),
    [](const auto &p) { return p.param.name; });

TEST(Gru, InfersOnEveryMachineWithTensorsOfItsOwn) {
  for (const Machine machine : {Machine::Cpu, Machine::TwoIpuModel, Machine::Ipu})
    for (const bool resetAfter : {false, true}) {
      Layer l = layerOf(3, resetAfter ? 2 : 1, HALF);
      l.ends = {4, 1, 3};
      OperationRun run(machine);
      popnn::gru::GruParams params(HALF, kBatch, kSteps, {kIn, kOut});
      params.resetAfter = resetAfter;
      params.cellOrder = kOtherGruOrder;
      const Tensor x = popnn::gru::createInput(run.graph, params, "x");
      const Tensor h = popnn::gru::createInitialState(run.graph, params, "h", {}, nullptr);
      const auto weights = popnn::gru::createWeights(run.graph, params, "weights");
      EXPECT_EQ(popnn::gru::createAttention(run.graph, params, "a").shape(),
                (Shape{kBatch, kSteps}));
      run.initialise(x, l.x);
      run.initialise(h, l.h);
      run.initialise(weights.inputWeights, l.w);
      run.initialise(weights.outputWeights, l.u);
      run.initialise(weights.biases, l.b);
      const Tensor steps = run.input(UNSIGNED_INT, {kBatch}, {4, 1, 3});
      run.output("y",
                 popnn::gru::gruFwd(run.graph, params, h, x, steps, weights, nullptr, run.prog));
      run.run();
      EXPECT_TRUE(
          areClose(run.read("y"), gru(l, kOtherGruOrder, resetAfter, false).outputs, 0.02, 0.01))
          << machineName(machine) << " " << resetAfter;
    }
}

TEST(RecurrentErrors, NameTheReason) {
  OperationRun run(Machine::Model);
  const auto message = [](const auto &call) {
    try {
      call();
    } catch (const std::exception &e) {
      return std::string(e.what());
    }
    return std::string("no error");
  };
  using popnn::lstm::LstmParams;
  EXPECT_EQ(message([&] {
              popnn::lstm::createInput(run.graph, LstmParams(FLOAT, 1, 2, {3, 4, 5}), "x");
            }),
            "createInput: 3 layer sizes; there are two, of the input and of the output");
  EXPECT_EQ(message([&] {
              (void)LstmParams(FLOAT, 3, 2, run.variable(UNSIGNED_INT, {2}), {3, 4});
            }),
            "RnnParams: time steps of shape {2}; it must be {1} or {3}");
  EXPECT_THAT(message([&] {
                popnn::gru::createInput(run.graph, popnn::gru::GruParams(FLOAT, 1, 2, {3, 4}), "x",
                                        {{"speed", "1"}});
              }),
              ::testing::StartsWith("recurrent layer: Unrecognised option 'speed'"));
  const LstmParams params(FLOAT, 1, 2, {3, 4}, NonLinearityType::GELU);
  const auto weights = popnn::lstm::createWeights(run.graph, params, "w");
  Tensor intermediates;
  EXPECT_EQ(message([&] {
              popnn::lstm::lstmFwd(run.graph, params, run.prog,
                                   popnn::lstm::createInitialState(run.graph, params, "s"), weights,
                                   popnn::lstm::createInput(run.graph, params, "x"),
                                   &intermediates);
            }),
            "lstmFwd: a result of gelu does not give its derivative; training takes tanh, sigmoid "
            "and relu");
}

} // namespace
} // namespace recurrent
} // namespace copse::test
