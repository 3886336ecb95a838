// Nodes with graphs of their own: branches, loops and scans. Decisions that are known before the
// model runs are made during lowering: a branch is chosen, and a short loop is unrolled. The device
// computes and tests all other conditions.
#include "host_array.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <limits>
#include <popops/Cast.hpp>
#include <popops/DynamicSlice.hpp>
#include <popops/ElementWise.hpp>
#include <poputil/TileMapping.hpp>
#include <poputil/Util.hpp>

namespace copse::onnx {
namespace {

using poplar::program::Copy;
using poplar::program::Sequence;

/// A loop with more iterations becomes a loop of the device, if the shapes of its values do not
/// change.
constexpr std::size_t kMostUnrolled = 64;
constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();

std::string described(const Value &value) { return nameOf(value.type) + " " + textOf(value.shape); }

bool isAlike(const Value &a, const Value &b) { return a.type == b.type && a.shape == b.shape; }

HostTensor scalar(ElementType type, std::int64_t value) { return {type, {}, {}, {value}}; }

/// Returns the value of a constant with one element, such as a condition or a number of iterations.
std::int64_t single(const OperatorContext &c, const HostTensor &tensor, const char *what) {
  if (tensor.elements() != 1 || isReal(tensor.type))
    c.fail(std::string(what) + " is no single integer or boolean");
  return tensor.integers[0];
}

poplar::Tensor variableFor(OperatorContext &c, const Value &value) {
  const poplar::Tensor variable =
      c.graph.addVariable(deviceType(value.type), value.shape, c.node.name);
  poputil::mapTensorLinearly(c.graph, variable);
  return variable;
}

void copyTo(OperatorContext &c, Value from, const poplar::Tensor &to, Sequence &prog) {
  if (to.numElements() > 0)
    prog.add(Copy(c.onDevice(from, c.node.name, prog), to));
}

/// A branch or a body, which can use the values of the graph around its node.
class Body {
public:
  Body(OperatorContext &c, const char *attribute) : c_(c), graph_(c.innerGraph(attribute)) {}

  std::size_t numOutputs() const { return graph_.outputs.size(); }

  /// Lowers the graph once more, to \p prog, and returns its outputs.
  std::vector<Value> lower(const std::vector<Value> &inputs, Sequence &prog) const {
    if (inputs.size() != graph_.inputs.size())
      c_.fail("the inner graph has " + std::to_string(graph_.inputs.size()) +
              " inputs and is given " + std::to_string(inputs.size()));
    Values scope = c_.scope();
    for (std::size_t i = 0; i < inputs.size(); ++i)
      scope[graph_.inputs[i].name] = inputs[i];
    c_.lower(graph_, scope, prog);
    std::vector<Value> outputs;
    for (const std::string &name : graph_.outputs) {
      const auto found = scope.find(name);
      if (found == scope.end())
        c_.fail("output '" + name + "' of the inner graph is made by no node");
      outputs.push_back(found->second);
    }
    return outputs;
  }

private:
  OperatorContext &c_;
  const Graph &graph_;
};

void outputAll(OperatorContext &c, std::vector<Value> values) {
  if (values.size() != c.node.outputs.size())
    c.fail("an inner graph has " + std::to_string(values.size()) + " outputs, the node has " +
           std::to_string(c.node.outputs.size()));
  for (std::size_t i = 0; i < values.size(); ++i)
    c.output(std::move(values[i]), i);
}

void branch(OperatorContext &c) {
  const Body yes(c, "then_branch"), no(c, "else_branch");
  const auto take = [&](const HostTensor &condition) {
    outputAll(c, (single(c, condition, "the condition") != 0 ? yes : no).lower({}, c.prog));
  };
  if (const HostTensor *condition = c.constant(0))
    return take(*condition);
  Sequence ifYes, ifNo;
  const std::vector<Value> first = yes.lower({}, ifYes), second = no.lower({}, ifNo);
  if (first.size() != second.size())
    c.fail("its branches have different numbers of outputs");
  for (std::size_t i = 0; i < first.size(); ++i)
    if (!isAlike(first[i], second[i])) {
      if (c.isKnown(0))
        return take(c.known(0));
      c.fail("its branches give " + described(first[i]) + " and " + described(second[i]) +
             ", and the condition is known only when the device has computed it");
    }
  const poplar::Tensor condition = c.tensor(0);
  if (condition.numElements() != 1)
    c.fail("the condition is no single boolean");
  std::vector<Value> results;
  for (std::size_t i = 0; i < first.size(); ++i) {
    const poplar::Tensor result = variableFor(c, first[i]);
    copyTo(c, first[i], result, ifYes);
    copyTo(c, second[i], result, ifNo);
    results.push_back(c.computed(result, first[i].type));
  }
  c.prog.add(poplar::program::If(condition.reshape({}), ifYes, ifNo));
  outputAll(c, std::move(results));
}

/// Stacks the values of all iterations along a new dimension.
Value stacked(OperatorContext &c, std::vector<Value> parts, unsigned axis, Sequence &prog) {
  bool known = true;
  for (const Value &part : parts) {
    known = known && part.constant;
    if (!isAlike(part, parts[0]))
      c.fail("its iterations give " + described(parts[0]) + " and " + described(part) +
             " for one output");
  }
  if (known) {
    std::vector<HostArray> arrays;
    for (const Value &part : parts)
      arrays.push_back(HostArray(*part.constant).expand({axis}));
    return knownValue(concat(arrays, axis).tensor());
  }
  std::vector<poplar::Tensor> tensors;
  for (Value &part : parts)
    tensors.push_back(c.onDevice(part, c.node.name, prog).expand({axis}));
  return c.computed(poplar::concat(tensors, axis), parts[0].type);
}

/// The state of a loop of the device: variables that each iteration replaces, and outputs that it
/// fills.
class DeviceLoop {
public:
  DeviceLoop(OperatorContext &c, std::vector<Value> initial) : c_(c) {
    for (Value &value : initial) {
      const poplar::Tensor variable = variableFor(c, value);
      copyTo(c, value, variable, c.prog);
      states_.push_back(c.computed(variable, value.type));
    }
    count_ = c.graph.addVariable(poplar::INT, {}, c.node.name);
    c.graph.setTileMapping(count_, 0);
    c.prog.add(Copy(scalarConstant(c, poplar::INT, 0), count_));
  }

  const std::vector<Value> &states() const { return states_; }
  const poplar::Tensor &count() const { return count_; } ///< number of finished iterations

  poplar::Tensor slice(const poplar::Tensor &in, unsigned axis, bool fromEnd, Sequence &step) {
    const poplar::Tensor rolled = in.dimRoll(axis, 0);
    return popops::dynamicSlice(c_.graph, fromEnd ? rolled.reverse(0) : rolled, offset(step), {0},
                                {1}, step, c_.node.name)[0];
  }

  /// Writes \p part to its place among \p length parts.
  void collect(Value part, std::size_t length, Sequence &step) {
    Value all = part;
    all.shape.insert(all.shape.begin(), length);
    const poplar::Tensor variable = variableFor(c_, all);
    if (variable.numElements() > 0)
      popops::dynamicUpdate(c_.graph, variable, c_.onDevice(part, c_.node.name, step).expand({0}),
                            offset(step), {0}, {1}, step, c_.node.name);
    collected_.push_back(c_.computed(variable, part.type));
  }

  /// Ends an iteration. The new states may be views of the old ones, so that all are copied before
  /// one is replaced.
  void advance(std::vector<Value> next, Sequence &step) {
    Sequence replace;
    for (std::size_t i = 0; i < next.size(); ++i) {
      if (!isAlike(next[i], states_[i]))
        c_.fail("an iteration makes " + described(next[i]) + " from " + described(states_[i]) +
                "; a loop of the device needs values of one shape");
      const poplar::Tensor copied = variableFor(c_, next[i]);
      copyTo(c_, next[i], copied, step);
      copyTo(c_, c_.computed(copied, next[i].type), states_[i].onIpus.begin()->second, replace);
    }
    step.add(replace);
    popops::addInPlace(c_.graph, count_, scalarConstant(c_, poplar::INT, 1), step, c_.node.name);
  }

  const std::vector<Value> &collected() const { return collected_; }

private:
  poplar::Tensor offset(Sequence &step) {
    return popops::cast(c_.graph, count_, poplar::UNSIGNED_INT, step, c_.node.name).expand({0});
  }

  OperatorContext &c_;
  std::vector<Value> states_, collected_;
  poplar::Tensor count_;
};

/// Lowers Loop. Its inputs are a number of iterations, a condition, and values that iterations
/// replace. The body returns the next condition and values, and elements of outputs that have one
/// element for each iteration.
class Loop {
public:
  explicit Loop(OperatorContext &c) : c_(c), body_(c, "body") {
    for (std::size_t i = 2; i < c.numInputs(); ++i)
      initial_.push_back(c.input(i));
    if (body_.numOutputs() < 1 + initial_.size())
      c.fail("the body has fewer outputs than the loop has values");
    scans_ = body_.numOutputs() - 1 - initial_.size();
  }

  void lower() {
    if (!unroll())
      lowerToDevice();
  }

private:
  /// Returns an input that lowering must know: a constant, or a given input on whose value the
  /// loop's outputs depend.
  const HostTensor *readNow(std::size_t i) const {
    if (const HostTensor *constant = c_.constant(i))
      return constant;
    return scans_ > 0 && c_.isKnown(i) ? &c_.known(i) : nullptr;
  }
  /// Returns nothing if only the device knows the limit.
  std::optional<std::size_t> limit() const {
    if (!c_.has(0))
      return kUnlimited;
    const HostTensor *const trips = readNow(0);
    if (trips == nullptr)
      return std::nullopt;
    const std::int64_t count = single(c_, *trips, "the number of iterations");
    return count > std::numeric_limits<std::int32_t>::max() ? kUnlimited
           : count < 0                                      ? 0
                                                            : static_cast<std::size_t>(count);
  }
  std::optional<bool> condition() const {
    if (!c_.has(1))
      return true;
    const HostTensor *const is = readNow(1);
    return is == nullptr ? std::nullopt : std::optional(single(c_, *is, "the condition") != 0);
  }

  std::vector<Value> iteration(const Value &number, const std::vector<Value> &states,
                               Sequence &prog) const {
    std::vector<Value> inputs{number, knownValue(scalar(ElementType::Bool, 1))};
    inputs.insert(inputs.end(), states.begin(), states.end());
    return body_.lower(inputs, prog);
  }
  std::vector<Value> statesOf(const std::vector<Value> &outputs) const {
    const auto first = outputs.begin() + 1;
    return {first, first + static_cast<std::ptrdiff_t>(initial_.size())};
  }
  std::vector<Value> scansOf(const std::vector<Value> &outputs) const {
    return {outputs.begin() + 1 + static_cast<std::ptrdiff_t>(initial_.size()), outputs.end()};
  }
  bool keepsShapes(const std::vector<Value> &states) const {
    return std::equal(states.begin(), states.end(), initial_.begin(), isAlike);
  }

  /// \returns false if that is impossible, or the program would become too long
  bool unroll() {
    const auto most = limit();
    auto goes = condition();
    if (!most || !goes)
      return false;
    Sequence prog;
    std::vector<Value> states = initial_;
    std::vector<std::vector<Value>> collected;
    for (std::size_t i = 0; *goes && i < *most; ++i) {
      if (i == 1 && *most > kMostUnrolled && *most != kUnlimited && keepsShapes(states))
        return false;
      if (i == 16 * kMostUnrolled || (i == kMostUnrolled && keepsShapes(states)))
        return false;
      const auto number = scalar(ElementType::Int64, static_cast<std::int64_t>(i));
      const auto outputs = iteration(knownValue(number), states, prog);
      if (!outputs[0].constant)
        return false;
      goes = single(c_, *outputs[0].constant, "the condition") != 0;
      states = statesOf(outputs);
      collected.push_back(scansOf(outputs));
    }
    c_.prog.add(prog);
    for (std::size_t i = 0; i < scans_; ++i)
      states.push_back(collected.empty() ? empty(i) : stackedOutput(collected, i));
    outputAll(c_, std::move(states));
    return true;
  }

  Value stackedOutput(const std::vector<std::vector<Value>> &collected, std::size_t i) {
    std::vector<Value> parts;
    for (const auto &each : collected)
      parts.push_back(each[i]);
    return stacked(c_, std::move(parts), 0, c_.prog);
  }

  /// Returns an output of a loop without iterations. The body, which does not run, gives its type
  /// and shape.
  Value empty(std::size_t i) const {
    Sequence unused;
    const Value part =
        scansOf(iteration(knownValue(scalar(ElementType::Int64, 0)), initial_, unused))[i];
    Shape shape = part.shape;
    shape.insert(shape.begin(), 0);
    return knownValue(makeTensor(part.type, shape));
  }

  void lowerToDevice() {
    const auto most = limit();
    const auto goes = condition();
    DeviceLoop loop(c_, initial_);
    Sequence step;
    const auto outputs =
        iteration(c_.computed(loop.count(), ElementType::Int64), loop.states(), step);
    const bool counts = most && *most != kUnlimited && goes.value_or(false) &&
                        outputs[0].constant && single(c_, *outputs[0].constant, "the condition");
    if (scans_ > 0 && !counts)
      c_.fail("it has outputs of an element for each iteration, whose number is known only when "
              "the device has computed the condition");
    for (const Value &part : scansOf(outputs))
      loop.collect(part, *most, step);
    if (counts) {
      loop.advance(statesOf(outputs), step);
      c_.prog.add(poplar::program::Repeat(static_cast<unsigned>(*most), step));
    } else {
      whileTrue(loop, outputs, most, step);
    }
    std::vector<Value> results = loop.states();
    results.insert(results.end(), loop.collected().begin(), loop.collected().end());
    outputAll(c_, std::move(results));
  }

  /// \param outputs  outputs of the body, which \p step computes
  void whileTrue(DeviceLoop &loop, const std::vector<Value> &outputs,
                 const std::optional<std::size_t> &most, Sequence &step) {
    const poplar::Tensor goes = c_.graph.addVariable(poplar::BOOL, {}, c_.node.name);
    c_.graph.setTileMapping(goes, 0);
    const auto set = [&](Value condition, Sequence &prog) {
      if (elementsOf(condition.shape) != 1)
        c_.fail("the condition is no single boolean");
      prog.add(Copy(c_.onDevice(condition, c_.node.name, prog).reshape({}), goes));
    };
    set(c_.has(1) ? c_.input(1) : knownValue(scalar(ElementType::Bool, 1)), c_.prog);
    set(outputs[0], step);
    loop.advance(statesOf(outputs), step);
    Sequence check;
    poplar::Tensor predicate = goes;
    if (most != kUnlimited) {
      const poplar::Tensor last = most ? scalarConstant(c_, poplar::INT, static_cast<double>(*most))
                                       : c_.tensor(0).reshape({});
      const poplar::Tensor isBelow = popops::lt(c_.graph, loop.count(), last, check, c_.node.name);
      predicate = popops::logicalAnd(c_.graph, goes, isBelow, check, c_.node.name);
    }
    c_.prog.add(poplar::program::RepeatWhileTrue(check, predicate, step));
  }

  OperatorContext &c_;
  Body body_;
  std::vector<Value> initial_;
  std::size_t scans_ = 0; ///< number of outputs with one element for each iteration
};

/// Lowers Scan. Its inputs are values that iterations replace, then inputs of which each iteration
/// gets a slice.
class Scan {
public:
  explicit Scan(OperatorContext &c) : c_(c), body_(c, "body") {
    if (c.opset < 9)
      c.fail("it has a batch dimension, which is not supported; convert the model to opset 9");
    const std::int64_t scanned = c.integer("num_scan_inputs", 0);
    if (scanned < 1 || scanned > static_cast<std::int64_t>(c.numInputs()))
      c.fail("attribute 'num_scan_inputs' = " + std::to_string(scanned) + " does not fit " +
             std::to_string(c.numInputs()) + " inputs");
    const std::size_t states = c.numInputs() - static_cast<std::size_t>(scanned);
    for (std::size_t i = 0; i < c.numInputs(); ++i)
      (i < states ? initial_ : scanned_).push_back(c.input(i));
    if (body_.numOutputs() < states)
      c.fail("the body has fewer outputs than the scan has values");
    inAxes_ = list("scan_input_axes", scanned_.size());
    inReversed_ = list("scan_input_directions", scanned_.size());
    outAxes_ = list("scan_output_axes", body_.numOutputs() - states);
    outReversed_ = list("scan_output_directions", body_.numOutputs() - states);
    for (std::size_t i = 0; i < scanned_.size(); ++i) {
      const std::size_t length = scanned_[i].shape.at(inAxis(i));
      if (i > 0 && length != length_)
        c.fail("its inputs have " + std::to_string(length_) + " and " + std::to_string(length) +
               " slices");
      length_ = length;
    }
    if (length_ == 0)
      c.fail("its inputs have no slices");
  }

  void lower() {
    if (length_ <= kMostUnrolled)
      unroll();
    else
      lowerToDevice();
  }

private:
  std::vector<std::int64_t> list(const char *name, std::size_t size) const {
    auto values = c_.integers(name);
    if (values.empty())
      values.resize(size, 0);
    if (values.size() != size)
      c_.fail(std::string("attribute '") + name + "' has " + std::to_string(values.size()) +
              " entries for " + std::to_string(size));
    return values;
  }
  unsigned inAxis(std::size_t i) const { return c_.axis(inAxes_[i], scanned_[i].shape.size()); }
  std::vector<Value> statesOf(const std::vector<Value> &outputs) const {
    return {outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(initial_.size())};
  }

  Value sliceOf(std::size_t i, std::size_t iteration) {
    const std::size_t at = inReversed_[i] != 0 ? length_ - 1 - iteration : iteration;
    const unsigned axis = inAxis(i);
    Value &in = scanned_[i];
    Shape shape = in.shape;
    shape.erase(shape.begin() + axis);
    if (in.constant)
      return knownValue(HostArray(*in.constant).slice(at, at + 1, axis).reshape(shape).tensor());
    return c_.computed(
        c_.onDevice(in, c_.node.name, c_.prog).slice(at, at + 1, axis).reshape(shape), in.type);
  }

  void unroll() {
    std::vector<Value> states = initial_;
    std::vector<std::vector<Value>> collected(outAxes_.size());
    for (std::size_t iteration = 0; iteration < length_; ++iteration) {
      std::vector<Value> inputs = states;
      for (std::size_t i = 0; i < scanned_.size(); ++i)
        inputs.push_back(sliceOf(i, iteration));
      const auto outputs = body_.lower(inputs, c_.prog);
      states = statesOf(outputs);
      for (std::size_t i = 0; i < collected.size(); ++i)
        collected[i].push_back(outputs[initial_.size() + i]);
    }
    for (std::size_t i = 0; i < collected.size(); ++i) {
      if (outReversed_[i] != 0)
        std::reverse(collected[i].begin(), collected[i].end());
      const unsigned axis = c_.axis(outAxes_[i], collected[i][0].shape.size() + 1);
      states.push_back(stacked(c_, std::move(collected[i]), axis, c_.prog));
    }
    outputAll(c_, std::move(states));
  }

  void lowerToDevice() {
    DeviceLoop loop(c_, initial_);
    std::vector<poplar::Tensor> scanned;
    for (Value &in : scanned_)
      scanned.push_back(c_.onDevice(in, c_.node.name, c_.prog));
    Sequence step;
    std::vector<Value> inputs = loop.states();
    for (std::size_t i = 0; i < scanned.size(); ++i)
      inputs.push_back(c_.computed(loop.slice(scanned[i], inAxis(i), inReversed_[i] != 0, step),
                                   scanned_[i].type));
    const auto outputs = body_.lower(inputs, step);
    for (std::size_t i = initial_.size(); i < outputs.size(); ++i)
      loop.collect(outputs[i], length_, step);
    loop.advance(statesOf(outputs), step);
    c_.prog.add(poplar::program::Repeat(static_cast<unsigned>(length_), step));
    std::vector<Value> results = loop.states();
    for (std::size_t i = 0; i < loop.collected().size(); ++i) {
      const Value &all = loop.collected()[i];
      poplar::Tensor tensor = all.onIpus.begin()->second;
      if (outReversed_[i] != 0)
        tensor = tensor.reverse(0);
      results.push_back(
          c_.computed(tensor.dimRoll(0, c_.axis(outAxes_[i], tensor.rank())), all.type));
    }
    outputAll(c_, std::move(results));
  }

  OperatorContext &c_;
  Body body_;
  std::vector<Value> initial_, scanned_;
  std::vector<std::int64_t> inAxes_, inReversed_, outAxes_, outReversed_;
  std::size_t length_ = 0;
};

} // namespace

void addControlFlow(OperatorTable &table) {
  table["If"] = branch;
  table["Loop"] = [](OperatorContext &c) { Loop(c).lower(); };
  table["Scan"] = [](OperatorContext &c) { Scan(c).lower(); };
}

} // namespace copse::onnx
