// Makes nodes that choose elements by values that are known before the model runs, and nodes whose
// output depends on shapes only.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Integers = std::vector<std::int64_t>;

RandomNode chosen(const char *op, Random &random, const Shape &shape) {
  RandomNode node{.op = op};
  node.add(random.tensor(random.pick(kAllTypes), shape));
  return node;
}

RandomNode compress(Random &random, std::int64_t) {
  const Shape in = random.shape(1, 4);
  const bool flattens = random.oneIn(3);
  const std::size_t axis = random.below(in.size());
  RandomNode node = chosen("Compress", random, in);
  const std::size_t length = flattens ? onnx::elementsOf(in) : in[axis];
  if (!flattens)
    node.attributes["axis"] = number(axis) - (random.oneIn(2) ? number(in.size()) : 0);
  node.add(random.tensor(ElementType::Bool, {random.between(0, length)}), true);
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < node.inputs[1].elements(); ++i)
    if (node.inputs[1].integers[i] != 0)
      kept.push_back(i);
  Shape shape = flattens ? Shape{0} : in;
  shape[flattens ? 0 : axis] = kept.size();
  node.expected = {{moved(node.inputs[0], shape,
                          [&](Shape index) {
                            if (flattens)
                              return kept[index[0]];
                            index[axis] = kept[index[axis]];
                            return positionOf(in, index);
                          }),
                    {}}};
  return node;
}

RandomNode reverseSequence(Random &random, std::int64_t) {
  const Shape in = random.shape(2, 4);
  const std::size_t batch = random.below(2), time = 1 - batch;
  RandomNode node = chosen("ReverseSequence", random, in);
  node.attributes = {{"batch_axis", number(batch)}, {"time_axis", number(time)}};
  // Only Copse allows a length of 0.
  node.add(random.integers(ElementType::Int64, {in[batch]},
                           std::min<std::int64_t>(1, number(in[time])), number(in[time])),
           true);
  node.expected = {{moved(node.inputs[0], in,
                          [&](Shape index) {
                            const auto length =
                                static_cast<std::size_t>(node.inputs[1].integers[index[batch]]);
                            if (index[time] < length)
                              index[time] = length - 1 - index[time];
                            return positionOf(in, index);
                          }),
                    {}}};
  return node;
}

/// For some positions of the result there are no elements: these are 0.
RandomNode centerCropPad(Random &random, std::int64_t opset) {
  const Shape in = random.shape(1, 4);
  if (opset < 18)
    return compress(random, opset);
  RandomNode node = chosen("CenterCropPad", random, in);
  Integers sizes;
  Shape shape = in;
  for (std::size_t &size : shape) {
    size = random.between(1, 6);
    sizes.push_back(number(size));
  }
  node.add(listOf(sizes), true);
  HostTensor result = makeTensor(node.inputs[0].type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    Shape from = index;
    bool isInside = true;
    for (std::size_t d = 0; d < in.size(); ++d) {
      const std::int64_t cut = number(in[d]) - number(shape[d]);
      // The smaller part comes first, whether elements are cut or filled.
      const std::int64_t at = number(index[d]) + (cut >= 0 ? cut / 2 : -(-cut / 2));
      isInside = isInside && at >= 0 && at < number(in[d]);
      from[d] = static_cast<std::size_t>(at);
    }
    if (isInside)
      copyElement(result, to, node.inputs[0], positionOf(in, from));
    ++to;
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode constantOfShape(Random &random, std::int64_t) {
  const Shape shape = random.shape(0, 5);
  RandomNode node{.op = "ConstantOfShape"};
  HostTensor sizes = listOf(listOf(shape));
  sizes.shape = {shape.size()};
  node.add(sizes, true);
  node.expected = {{makeTensor(ElementType::Float, shape), {}}};
  return node;
}

RandomNode range(Random &random, std::int64_t) {
  const ElementType type = random.pick(
      std::vector<ElementType>{ElementType::Float, ElementType::Double, ElementType::Int16,
                               ElementType::Int32, ElementType::Int64});
  const std::int64_t start = random.signedBetween(-20, 20), limit = random.signedBetween(-20, 20),
                     step = random.oneOf(Integers{1, 2, 3, -1, -2, -7});
  RandomNode node{.op = "Range"};
  for (const std::int64_t value : {start, limit, step}) {
    HostTensor scalar = makeTensor(type, {});
    setElement(scalar, 0, static_cast<double>(value));
    node.add(scalar, true);
  }
  Integers values;
  for (std::int64_t i = start; step > 0 ? i < limit : i > limit; i += step)
    values.push_back(i);
  HostTensor result = makeTensor(type, {values.size()});
  for (std::size_t i = 0; i < values.size(); ++i)
    setElement(result, i, static_cast<double>(values[i]));
  node.expected = {{result, {}}};
  return node;
}

RandomNode shapeOf(Random &random, std::int64_t opset) {
  const Shape in = random.shape(0, 6);
  const bool size = random.oneIn(3);
  RandomNode node = chosen(size ? "Size" : "Shape", random, in);
  HostTensor result = listOf(size ? Integers{number(onnx::elementsOf(in))} : listOf(in));
  if (size) {
    result.shape = {};
  } else if (opset >= 15) {
    const auto rank = number(in.size());
    const std::int64_t start = random.signedBetween(-7, 7), end = random.signedBetween(-7, 7);
    node.attributes = {{"start", start}, {"end", end}};
    const auto inside = [&](std::int64_t i) {
      return std::clamp<std::int64_t>(i < 0 ? i + rank : i, 0, rank);
    };
    const std::int64_t first = inside(start), last = std::max(first, inside(end));
    result = listOf(Integers(result.integers.begin() + first, result.integers.begin() + last));
  }
  node.expected = {{result, {}}};
  return node;
}

/// Makes a node of one of the window functions that weigh a signal.
RandomNode signalWindow(Random &random, std::int64_t opset) {
  if (opset < 17)
    return shapeOf(random, opset);
  const auto op =
      random.pick(std::vector<std::string>{"HannWindow", "HammingWindow", "BlackmanWindow"});
  const std::int64_t size = random.signedBetween(op == "BlackmanWindow" ? 2 : 3, 9);
  const bool periodic = random.oneIn(2);
  RandomNode node{.op = op, .attributes = {{"periodic", std::int64_t{periodic}}}};
  HostTensor count = listOf(Integers{size});
  count.shape = {};
  node.add(count, true);
  const ElementType type = random.pick(kReals);
  node.attributes["output_datatype"] = static_cast<std::int64_t>(type);
  HostTensor result = makeTensor(type, {static_cast<std::size_t>(size)});
  for (std::int64_t i = 0; i < size; ++i) {
    const double angle = 2 * M_PI * static_cast<double>(i) / static_cast<double>(size - !periodic);
    setElement(result, static_cast<std::size_t>(i),
               op == "HannWindow"      ? 0.5 - 0.5 * std::cos(angle)
               : op == "HammingWindow" ? 25.0 / 46 - 21.0 / 46 * std::cos(angle)
                                       : 0.42 - 0.5 * std::cos(angle) + 0.08 * std::cos(2 * angle));
  }
  node.expected = {{result, std::vector<double>(result.elements(), 1)}};
  return node;
}

RandomNode nonZero(Random &random, std::int64_t) {
  const Shape in = random.shape(1, 4);
  RandomNode node{.op = "NonZero"};
  const ElementType type = random.pick(kAllTypes);
  node.add(isReal(type) ? random.tensor(type, in) : random.integers(type, in, 0, 1), true);
  std::vector<Shape> found;
  forEachIndex(in, [&](const Shape &index) {
    if (node.inputs[0].at(positionOf(in, index)) != 0)
      found.push_back(index);
  });
  HostTensor result = makeTensor(ElementType::Int64, {in.size(), found.size()});
  for (std::size_t d = 0; d < in.size(); ++d)
    for (std::size_t i = 0; i < found.size(); ++i)
      result.integers[d * found.size() + i] = number(found[i][d]);
  node.expected = {{result, {}}};
  return node;
}

/// Makes a node that drops elements in training only.
RandomNode dropout(Random &random, std::int64_t opset) {
  RandomNode node{.op = "Dropout"};
  const Shape shape = random.shape(0, 5);
  node.add(random.tensor(random.pick(kReals), shape));
  HostTensor ratio = makeTensor(ElementType::Float, {});
  ratio.reals = {0.25f};
  if (opset < 12)
    node.attributes["ratio"] = ratio.reals[0];
  else if (random.oneIn(2))
    node.add(ratio, true);
  node.expected = {{node.inputs[0], {}}};
  if (random.oneIn(2)) {
    HostTensor kept = makeTensor(ElementType::Bool, shape);
    std::fill(kept.integers.begin(), kept.integers.end(), 1);
    node.expected.push_back({kept, {}});
  }
  return node;
}

} // namespace

void addNodesOfSelections(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {compress, reverseSequence, centerCropPad, constantOfShape, range,
                               shapeOf, signalWindow, nonZero, dropout});
}

} // namespace copse::test
