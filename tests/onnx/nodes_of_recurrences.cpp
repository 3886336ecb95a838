// Makes nodes of recurrent layers.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;

/// A value with the size of its possible errors, in units of its type's last digit at 1. A state
/// that is small may be the difference of two large terms, some steps ago.
struct Inexact {
  double value = 0, error = 0;
};
Inexact operator+(const Inexact &a, const Inexact &b) {
  return {a.value + b.value, a.error + b.error + std::fabs(a.value) + std::fabs(b.value)};
}
Inexact operator*(const Inexact &a, const Inexact &b) {
  const double product = a.value * b.value;
  return {product,
          a.error * std::fabs(b.value) + b.error * std::fabs(a.value) + std::fabs(product)};
}

/// Returns an activation of \p x. None is steeper than 1.
Inexact activated(const std::string &name, const Inexact &x) {
  const double v = x.value;
  const double result = name == "Relu"       ? std::max(v, 0.0)
                        : name == "Sigmoid"  ? 1 / (1 + std::exp(-v))
                        : name == "Softsign" ? v / (1 + std::fabs(v))
                                             : std::tanh(v);
  return {result, x.error + std::fabs(result)};
}

using Row = std::vector<Inexact>;

/// The sizes of a layer, and its inputs.
struct Layer {
  std::string op;
  std::size_t gates, steps, batch, inputs, hidden, directions;
  bool batchFirst, resetsLast;
  std::vector<std::string> functions; ///< of all directions
  RandomNode *node;

  /// Returns element [direction][row][column] of input \p i, or 0 if it is omitted.
  Inexact at(std::size_t i, std::size_t direction, std::size_t row, std::size_t column = 0) const {
    if (i >= node->inputs.size() || node->omitted.count(i) != 0)
      return {};
    const HostTensor &in = node->inputs[i];
    const std::size_t columns = in.shape.size() > 2 ? in.shape[2] : 1;
    return {in.at((direction * in.shape[1] + row) * columns + column), 0};
  }
  /// Returns an element of an initial state.
  Inexact initial(std::size_t i, std::size_t direction, std::size_t b, std::size_t h) const {
    return batchFirst ? at(i, b, direction, h) : at(i, direction, b, h);
  }
  const std::string &function(std::size_t direction, std::size_t number) const {
    return functions[direction * functions.size() / directions + number];
  }
};

/// One sequence of a batch, in one direction.
class Sequence {
public:
  Sequence(const Layer &layer, std::size_t direction, std::size_t batch)
      : l_(layer), d_(direction), b_(batch) {
    for (std::size_t h = 0; h < l_.hidden; ++h) {
      hidden.push_back(l_.initial(5, d_, b_, h));
      cell.push_back(l_.op == "LSTM" ? l_.initial(6, d_, b_, h) : Inexact{});
    }
  }

  void step(std::size_t t) {
    t_ = t;
    const Row before = hidden;
    for (std::size_t h = 0; h < l_.hidden; ++h)
      hidden[h] = l_.op == "RNN"    ? activated(f(0), input(h) + recurrent(h, before))
                  : l_.op == "LSTM" ? lstm(h, before)
                                    : gru(h, before);
  }

  Row hidden, cell;

private:
  const std::string &f(std::size_t number) const { return l_.function(d_, number); }
  /// Returns the product with the input at this step, for a row of the weights.
  Inexact input(std::size_t row) const {
    Inexact sum = l_.at(3, d_, row);
    for (std::size_t i = 0; i < l_.inputs; ++i)
      sum =
          sum + (l_.batchFirst ? l_.at(0, b_, t_, i) : l_.at(0, t_, b_, i)) * l_.at(1, d_, row, i);
    return sum;
  }
  Inexact recurrent(std::size_t row, const Row &state) const {
    Inexact sum = l_.at(3, d_, l_.gates * l_.hidden + row);
    for (std::size_t i = 0; i < l_.hidden; ++i)
      sum = sum + state[i] * l_.at(2, d_, row, i);
    return sum;
  }
  Inexact lstm(std::size_t h, const Row &before) {
    const auto sum = [&](std::size_t gate) {
      return input(gate * l_.hidden + h) + recurrent(gate * l_.hidden + h, before);
    };
    const auto peephole = [&](std::size_t gate) { return l_.at(7, d_, gate * l_.hidden + h); };
    const Inexact in = activated(f(0), sum(0) + peephole(0) * cell[h]),
                  forget = activated(f(0), sum(2) + peephole(2) * cell[h]);
    cell[h] = forget * cell[h] + in * activated(f(1), sum(3));
    return activated(f(0), sum(1) + peephole(1) * cell[h]) * activated(f(2), cell[h]);
  }
  Inexact gru(std::size_t h, const Row &before) const {
    const auto opened = [&](std::size_t gate, std::size_t unit) {
      const std::size_t row = gate * l_.hidden + unit;
      return activated(f(0), input(row) + recurrent(row, before));
    };
    const Inexact update = opened(0, h);
    const std::size_t row = 2 * l_.hidden + h;
    Inexact sum;
    if (l_.resetsLast) {
      sum = input(row) + opened(1, h) * recurrent(row, before);
    } else {
      Row reset = before;
      for (std::size_t i = 0; i < l_.hidden; ++i)
        reset[i] = opened(1, i) * before[i];
      sum = input(row) + recurrent(row, reset);
    }
    const Inexact rest = Inexact{1, 0} + Inexact{-update.value, update.error};
    return rest * activated(f(1), sum) + update * before[h];
  }

  const Layer &l_;
  std::size_t d_, b_, t_ = 0;
};

void set(Expected &expected, const Shape &index, const Inexact &value) {
  const std::size_t at = positionOf(expected.value.shape, index);
  setElement(expected.value, at, value.value);
  expected.magnitudes[at] = value.error;
}

void computeOutputs(const Layer &l, const std::string &direction) {
  const ElementType type = l.node->inputs[0].type;
  const auto empty = [&](const Shape &shape) {
    return Expected{makeTensor(type, shape), std::vector<double>(onnx::elementsOf(shape))};
  };
  const std::size_t d = l.directions, b = l.batch, t = l.steps, h = l.hidden;
  Expected all = empty(l.batchFirst ? Shape{b, t, d, h} : Shape{t, d, b, h});
  Expected hidden = empty(l.batchFirst ? Shape{b, d, h} : Shape{d, b, h}), cell = hidden;
  for (std::size_t di = 0; di < d; ++di)
    for (std::size_t bi = 0; bi < b; ++bi) {
      Sequence sequence(l, di, bi);
      for (std::size_t i = 0; i < t; ++i) {
        const std::size_t ti = direction == "reverse" || di == 1 ? t - 1 - i : i;
        sequence.step(ti);
        for (std::size_t hi = 0; hi < h; ++hi)
          set(all, l.batchFirst ? Shape{bi, ti, di, hi} : Shape{ti, di, bi, hi},
              sequence.hidden[hi]);
      }
      for (std::size_t hi = 0; hi < h; ++hi) {
        const Shape at = l.batchFirst ? Shape{bi, di, hi} : Shape{di, bi, hi};
        set(hidden, at, sequence.hidden[hi]);
        set(cell, at, sequence.cell[hi]);
      }
    }
  l.node->expected = {all, hidden};
  if (l.op == "LSTM")
    l.node->expected.push_back(cell);
}

/// Adds the optional inputs: biases, lengths, initial states, peepholes.
void addOptional(Random &random, const Layer &l, ElementType type) {
  RandomNode &node = *l.node;
  const auto add = [&](const Shape &shape) {
    if (random.oneIn(2))
      node.add(random.tensor(type, shape, Reals::Ordinary));
    else
      node.omit();
  };
  const Shape state = l.batchFirst ? Shape{l.batch, l.directions, l.hidden}
                                   : Shape{l.directions, l.batch, l.hidden};
  add({l.directions, 2 * l.gates * l.hidden});
  if (random.oneIn(2)) // lengths other than that of all sequences are refused
    node.add(random.integers(ElementType::Int32, {l.batch}, number(l.steps), number(l.steps)),
             true);
  else
    node.omit();
  add(state);
  if (l.op != "LSTM")
    return;
  add(state);
  add({l.directions, 3 * l.hidden});
}

/// Returns true if the result may depend on the order in which sums overflow. States grow from step
/// to step if a gate is a Relu.
bool mayOverflow(const RandomNode &node) {
  const double most = node.inputs[0].type == ElementType::Half ? 1e3 : 1e15;
  for (const Expected &output : node.expected)
    for (const double magnitude : output.magnitudes)
      if (!(magnitude < most))
        return true;
  return false;
}

RandomNode recurrence(Random &random, std::int64_t opset) {
  struct Kind {
    const char *op;
    std::size_t gates, functions;
  };
  static const Kind kKinds[] = {{"RNN", 1, 1}, {"GRU", 3, 2}, {"LSTM", 4, 3}};
  const Kind &kind = kKinds[random.kindBelow(std::size(kKinds))];
  const auto direction =
      random.oneOf(std::vector<std::string>{"forward", "reverse", "bidirectional"});
  const ElementType type = random.pick(kReals);
  RandomNode node{.op = kind.op, .tolerance = 8};
  Layer l{kind.op,
          kind.gates,
          random.between(1, 4),
          random.between(1, 3),
          random.between(1, 4),
          random.between(1, 4),
          direction == "bidirectional" ? std::size_t{2} : std::size_t{1},
          opset >= 14 && random.oneIn(2),
          kind.gates == 3 && random.oneIn(2),
          {},
          &node};
  node.attributes = {{"hidden_size", number(l.hidden)}, {"direction", direction}};
  if (l.batchFirst)
    node.attributes["layout"] = std::int64_t{1};
  if (l.resetsLast)
    node.attributes["linear_before_reset"] = std::int64_t{1};
  static const std::vector<std::string> kFunctions = {"Relu", "Sigmoid", "Softsign", "Tanh"};
  const bool named = random.oneIn(2);
  for (std::size_t i = 0; i < l.directions * kind.functions; ++i)
    l.functions.push_back(named                                       ? random.pick(kFunctions)
                          : i % kind.functions == 0 && kind.gates > 1 ? "Sigmoid"
                                                                      : "Tanh");
  if (named)
    node.attributes["activations"] = l.functions;
  node.add(random.tensor(
      type, l.batchFirst ? Shape{l.batch, l.steps, l.inputs} : Shape{l.steps, l.batch, l.inputs},
      Reals::Ordinary));
  node.add(random.tensor(type, {l.directions, l.gates * l.hidden, l.inputs}, Reals::Ordinary));
  node.add(random.tensor(type, {l.directions, l.gates * l.hidden, l.hidden}, Reals::Ordinary));
  for (float &weight : node.inputs[2].reals) // states stay small
    weight = onnx::rounded(weight / 4, type);
  addOptional(random, l, type);
  computeOutputs(l, direction);
  return mayOverflow(node) ? recurrence(random, opset) : node;
}

} // namespace

void addNodesOfRecurrences(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), 2, recurrence);
}

} // namespace copse::test
