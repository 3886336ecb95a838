// Recurrent layers: a loop over the steps of a sequence, after the products with the input.
#include "operators.hpp"
#include "row_indices.hpp"

#include <poplin/MatMul.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <popops/Loop.hpp>
#include <popops/Zero.hpp>
#include <poputil/TileMapping.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;
using poplar::Tensor;
using poplar::program::Sequence;

/// One direction of a layer. Sizes: T steps, B sequences, H hidden units, G gates.
struct Direction {
  Tensor inputs;       ///< [T][B][G * H]: the input times its weights, plus biases
  Tensor weights;      ///< [H][G * H], for the hidden state
  Tensor hiddenBias;   ///< [G * H]; \c inputs include it, except for the last gate of a GRU
  Tensor peepholes;    ///< [3 * H], for an LSTM; may be empty
  Tensor hidden, cell; ///< [B][H]: the state, which each step replaces
  std::vector<std::string> functions; ///< ONNX's activations f, g, h
};

using Function = pe::Any (*)(const pe::Any &x);

/// Returns ONNX's activations with their default parameters.
const std::map<std::string, Function> &functionsByName() {
  static const std::map<std::string, Function> functions = {
      {"Relu", [](const pe::Any &x) { return pe::Any(pe::Max(x, pe::Const(0))); }},
      {"Sigmoid", [](const pe::Any &x) { return pe::Any(pe::Sigmoid(x)); }},
      {"Softsign",
       [](const pe::Any &x) { return pe::Any(pe::Divide(x, pe::Add(pe::Const(1), pe::Abs(x)))); }},
      {"Tanh", [](const pe::Any &x) { return pe::Any(pe::Tanh(x)); }},
  };
  return functions;
}

pe::Any activated(const Direction &d, std::size_t number, const pe::Any &x) {
  return functionsByName().at(d.functions[number])(x);
}

/// Adds the replacement of the state of \p d to \p step.
/// \param inputs  [B][G * H]
using Step = std::function<void(OperatorContext &c, Sequence &step, const Tensor &inputs,
                                const Direction &d)>;

Tensor gate(const Tensor &gates, std::size_t number, const Direction &d) {
  const std::size_t size = d.hidden.dim(1);
  return gates.slice(number * size, (number + 1) * size, 1);
}

Tensor product(OperatorContext &c, Sequence &step, const Tensor &left, const Tensor &right) {
  return poplin::matMul(c.graph, left, right, step, c.node.name);
}

void rnnStep(OperatorContext &c, Sequence &step, const Tensor &inputs, const Direction &d) {
  const Tensor next =
      popops::map(c.graph, activated(d, 0, pe::Add(pe::_1, pe::_2)),
                  {inputs, product(c, step, d.hidden, d.weights)}, step, c.node.name);
  step.add(poplar::program::Copy(next, d.hidden));
}

/// Adds a step of an LSTM. Gates: input, output, forget, cell.
void lstmStep(OperatorContext &c, Sequence &step, const Tensor &inputs, const Direction &d) {
  const Tensor sums =
      popops::add(c.graph, inputs, product(c, step, d.hidden, d.weights), step, c.node.name);
  const bool peeps = d.peepholes.valid();
  const auto opened = [&](std::size_t number, const Tensor &cell) {
    const std::size_t size = d.hidden.dim(1);
    if (!peeps)
      return popops::map(c.graph, activated(d, 0, pe::_1), {gate(sums, number, d)}, step,
                         c.node.name);
    return popops::map(
        c.graph, activated(d, 0, pe::Add(pe::_1, pe::Mul(pe::_2, pe::_3))),
        {gate(sums, number, d), cell, d.peepholes.slice(number * size, (number + 1) * size)}, step,
        c.node.name);
  };
  const Tensor cell = popops::map(
      c.graph, pe::Add(pe::Mul(pe::_1, pe::_2), pe::Mul(pe::_3, activated(d, 1, pe::_4))),
      {opened(2, d.cell), d.cell, opened(0, d.cell), gate(sums, 3, d)}, step, c.node.name);
  const Tensor hidden = popops::map(c.graph, pe::Mul(pe::_1, activated(d, 2, pe::_2)),
                                    {opened(1, cell), cell}, step, c.node.name);
  step.add(poplar::program::Copy(cell, d.cell));
  step.add(poplar::program::Copy(hidden, d.hidden));
}

/// Adds a step of a GRU. Gates: update, reset, hidden.
void gruStep(OperatorContext &c, Sequence &step, const Tensor &inputs, const Direction &d) {
  const std::size_t size = d.hidden.dim(1);
  const bool resetsLast = c.integer("linear_before_reset", 0) != 0;
  const Tensor first = product(c, step, d.hidden, d.weights.slice(0, 2 * size, 1));
  const Tensor opened = popops::map(c.graph, activated(d, 0, pe::Add(pe::_1, pe::_2)),
                                    {inputs.slice(0, 2 * size, 1), first}, step, c.node.name);
  const Tensor update = gate(opened, 0, d), reset = gate(opened, 1, d);
  const Tensor last = d.weights.slice(2 * size, 3 * size, 1),
               bias = d.hiddenBias.slice(2 * size, 3 * size);
  Tensor sum;
  if (resetsLast)
    sum = popops::map(c.graph, pe::Add(pe::_1, pe::Mul(pe::_2, pe::Add(pe::_3, pe::_4))),
                      {gate(inputs, 2, d), reset, product(c, step, d.hidden, last), bias}, step,
                      c.node.name);
  else
    sum = popops::map(
        c.graph, pe::Add(pe::_1, pe::Add(pe::_2, pe::_3)),
        {gate(inputs, 2, d),
         product(c, step, popops::mul(c.graph, reset, d.hidden, step, c.node.name), last), bias},
        step, c.node.name);
  // Computes (1 - z) * n + z * h. A step from n by z * (h - n) would overflow where h and n have
  // large sizes and opposite signs.
  const Tensor next = popops::map(
      c.graph, pe::Add(pe::Mul(pe::Sub(pe::Const(1), pe::_2), pe::_1), pe::Mul(pe::_2, pe::_3)),
      {popops::map(c.graph, activated(d, 1, pe::_1), {sum}, step, c.node.name), update, d.hidden},
      step, c.node.name);
  step.add(poplar::program::Copy(next, d.hidden));
}

/// Refuses attributes that the lowering does not support.
void checkAttributes(const OperatorContext &c, std::size_t steps) {
  for (const char *name : {"activation_alpha", "activation_beta", "clip"})
    if (c.hasAttribute(name))
      c.fail(std::string("attribute '") + name + "' is not supported");
  if (c.integer("input_forget", 0) != 0)
    c.fail("attribute 'input_forget' is not supported");
  c.withoutEffect({"output_sequence"}); // opset 1: true if the first output is wanted
  c.requireInteger("hidden_size", static_cast<std::int64_t>(c.shape(2).at(2)));
  if (c.has(4))
    for (const std::int64_t length : c.known(4).integers)
      if (static_cast<std::size_t>(length) != steps)
        c.fail("sequences of different lengths are not supported");
}

/// Returns the activations of one direction; \p otherwise has their number, and the defaults.
std::vector<std::string> functionsOf(const OperatorContext &c, std::size_t direction,
                                     std::vector<std::string> otherwise) {
  const auto all = c.attribute<std::vector<std::string>>("activations", {});
  const std::size_t first = direction * otherwise.size();
  // The default in ONNX's schema of RNN has two directions, even if the node has one.
  if (!all.empty() && all.size() < first + otherwise.size())
    c.fail("attribute 'activations' has " + std::to_string(all.size()) + " entries");
  for (std::size_t i = 0; i < otherwise.size() && !all.empty(); ++i) {
    otherwise[i] = all[first + i];
    if (functionsByName().count(otherwise[i]) == 0)
      c.fail("activation '" + otherwise[i] + "' is not supported");
  }
  return otherwise;
}

/// Returns a state that the loop can write: a copy of an input [D][B][H], or [B][D][H] with layout
/// = 1, or zeros.
Tensor initialState(OperatorContext &c, std::size_t input, std::size_t direction,
                    const poplar::Type &type, const Shape &shape) {
  const std::int64_t layout = c.integer("layout", 0);
  const Tensor state = c.graph.addVariable(type, shape, c.node.name);
  poputil::mapTensorLinearly(c.graph, state);
  if (c.has(input))
    c.prog.add(poplar::program::Copy(
        c.tensor(input).slice(direction, direction + 1, layout == 0 ? 0 : 1).reshape(shape),
        state));
  else
    popops::zero(c.graph, state, c.prog, c.node.name);
  return state;
}

class Layer {
public:
  /// \param gates  number of the operator's gates
  Layer(OperatorContext &c, std::size_t gates, Step step, std::vector<std::string> functions)
      : c_(c), gates_(gates), step_(std::move(step)), functions_(std::move(functions)),
        batchFirst_(c.integer("layout", 0) != 0),
        x_(batchFirst_ ? c.tensor(0).dimShuffle({1, 0, 2}) : c.tensor(0)) {
    if (x_.rank() != 3 || c.shape(1).size() != 3 || c.shape(2).size() != 3 ||
        c.shape(1)[1] != gates * c.shape(2)[2] || c.shape(1)[2] != x_.dim(2))
      c.fail("input " + textOf(c.shape(0)) + " and weights " + textOf(c.shape(1)) + ", " +
             textOf(c.shape(2)) + " do not fit");
    checkAttributes(c, x_.dim(0));
  }

  void lower() {
    const auto named = c_.attribute<std::string>("direction", "forward");
    const std::size_t directions = named == "bidirectional" ? 2 : 1;
    if ((named != "forward" && named != "reverse" && directions == 1) ||
        c_.shape(1)[0] != directions)
      c_.fail("attribute 'direction' = '" + named + "' does not fit weights of " +
              textOf(c_.shape(1)));
    std::vector<Tensor> outputs, hidden, cells;
    for (std::size_t i = 0; i < c_.shape(1)[0]; ++i) {
      const bool backwards = named == "reverse" || (named == "bidirectional" && i == 1);
      const Direction d = direction(i, backwards);
      const Tensor all = run(d);
      outputs.push_back((backwards ? all.reverse(0) : all).expand({1})); // [T][1][B][H]
      hidden.push_back(d.hidden.expand({0}));
      cells.push_back(d.cell.expand({0}));
    }
    const Tensor y = poplar::concat(outputs, 1);
    put(batchFirst_ ? y.dimShuffle({2, 0, 1, 3}) : y, 0);
    putState(hidden, 1);
    if (gates_ == 4)
      putState(cells, 2);
  }

private:
  void put(const Tensor &t, std::size_t i) { c_.output(t, c_.type(), i); }
  void putState(const std::vector<Tensor> &parts, std::size_t i) {
    const Tensor state = poplar::concat(parts, 0);
    put(batchFirst_ ? state.dimShuffle({1, 0, 2}) : state, i);
  }

  Direction direction(std::size_t i, bool backwards) {
    const Tensor x = backwards ? x_.reverse(0) : x_;
    const std::size_t steps = x.dim(0), batch = x.dim(1), size = c_.shape(2)[2];
    const Tensor products = poplin::matMul(c_.graph, x.reshape({steps * batch, x.dim(2)}),
                                           c_.tensor(1)[i].transpose(), c_.prog, c_.node.name);
    Direction d;
    d.functions = functionsOf(c_, i, functions_);
    d.weights = c_.tensor(2)[i].transpose();
    Tensor inputs = products;
    if (c_.has(3)) {
      const std::size_t half = gates_ * size;
      d.hiddenBias = c_.tensor(3)[i].slice(half, 2 * half);
      inputs =
          popops::add(c_.graph, products, c_.tensor(3)[i].slice(0, half), c_.prog, c_.node.name);
      // A GRU's last gate resets its own bias.
      const std::size_t ahead = gates_ == 3 ? 2 * size : half;
      popops::addInPlace(c_.graph, inputs.slice(0, ahead, 1), d.hiddenBias.slice(0, ahead), c_.prog,
                         c_.node.name);
    } else {
      d.hiddenBias = scalarConstant(c_, x.elementType(), 0)
                         .expand({0})
                         .broadcast(static_cast<unsigned>(gates_ * size), 0);
    }
    d.inputs = inputs.reshape({steps, batch, gates_ * size});
    if (gates_ == 4 && c_.has(7))
      d.peepholes = c_.tensor(7)[i];
    d.hidden = initialState(c_, 5, i, x.elementType(), {batch, size});
    d.cell = initialState(c_, gates_ == 4 ? 6 : c_.numInputs(), i, x.elementType(), {batch, size});
    return d;
  }

  /// \returns the hidden states of all steps [T][B][H]
  Tensor run(const Direction &d) {
    const std::size_t steps = d.inputs.dim(0);
    const Shape shape = {steps, d.hidden.dim(0), d.hidden.dim(1)};
    const Tensor all = c_.graph.addVariable(d.hidden.elementType(), shape, c_.node.name);
    poputil::mapTensorLinearly(c_.graph, all);
    c_.prog.add(popops::countedLoop(
        c_.graph, steps,
        [&](const Tensor &count) {
          Sequence step;
          const Tensor inputs =
              popops::dynamicSlice(c_.graph, d.inputs, count, {0}, {1}, step, c_.node.name);
          step_(c_, step, inputs[0], d);
          popops::dynamicUpdate(c_.graph, all, d.hidden.expand({0}), count, {0}, {1}, step,
                                c_.node.name);
          return step;
        },
        c_.node.name));
    return all;
  }

  OperatorContext &c_;
  std::size_t gates_;
  Step step_;
  std::vector<std::string> functions_; ///< activations of a node without the attribute
  bool batchFirst_;
  Tensor x_; ///< [T][B][inputs]
};

Lowering layer(std::size_t gates, const Step &step, const std::vector<std::string> &functions) {
  return [=](OperatorContext &c) { Layer(c, gates, step, functions).lower(); };
}

} // namespace

void addRecurrentLayers(OperatorTable &table) {
  table["RNN"] = layer(1, rnnStep, {"Tanh"});
  table["LSTM"] = layer(4, lstmStep, {"Sigmoid", "Tanh", "Tanh"});
  table["GRU"] = layer(3, gruStep, {"Sigmoid", "Tanh"});
}

} // namespace copse::onnx
