// Makes nodes of convolutions of integers of 8 bits.
#include "drawn_windows.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;

/// A convolution of integers minus their zero points.
struct IntegerConvolution {
  Windows windows;
  Shape field, in, weights, shape;
  std::size_t inputs, outputs; ///< of a group
};

IntegerConvolution drawnConvolution(Random &random, RandomNode &node) {
  IntegerConvolution c;
  c.field.resize(random.between(1, 3));
  c.windows = windowsOver(random, c.field, true);
  const std::size_t groups = random.between(1, 2), batch = random.between(1, 2);
  c.inputs = random.between(1, 3);
  c.outputs = random.between(1, 3);
  c.in = joined({batch, groups * c.inputs}, c.field);
  c.weights = joined({groups * c.outputs, c.inputs}, sizes(c.windows.kernel));
  c.shape = joined({batch, groups * c.outputs}, c.windows.outputs);
  node.attributes = {{"kernel_shape", c.windows.kernel},
                     {"strides", c.windows.strides},
                     {"dilations", c.windows.dilations},
                     {"pads", padsOf(c.windows)},
                     {"group", number(groups)}};
  return c;
}

HostTensor drawnBytes(Random &random, const Shape &shape) {
  return random.tensor(random.pick(std::vector<ElementType>{ElementType::Int8, ElementType::UInt8}),
                       shape);
}

/// Returns the exact sum at an index of the result. Padding is the zero point, which counts as 0.
std::int64_t sumAt(const IntegerConvolution &c, const Shape &index, const HostTensor &x,
                   const HostTensor &w, std::int64_t zeroX,
                   const std::function<std::int64_t(std::size_t)> &zeroW) {
  std::int64_t sum = 0;
  const Shape output(index.begin() + 2, index.end());
  forEachIndex(sizes(c.windows.kernel), [&](const Shape &at) {
    Shape position;
    if (!positionIn(c.windows, c.field, output, at, position))
      return;
    for (std::size_t i = 0; i < c.inputs; ++i) {
      const std::size_t channel = index[1] / c.outputs * c.inputs + i;
      sum += (x.integers[positionOf(c.in, joined({index[0], channel}, position))] - zeroX) *
             (w.integers[positionOf(c.weights, joined({index[1], i}, at))] - zeroW(index[1]));
    }
  });
  return sum;
}

RandomNode convInteger(Random &random, std::int64_t) {
  RandomNode node{.op = "ConvInteger"};
  const IntegerConvolution c = drawnConvolution(random, node);
  node.add(drawnBytes(random, c.in));
  node.add(drawnBytes(random, c.weights));
  const std::size_t zeros = random.below(3); // how many of the zero points the node has
  const bool each = random.oneIn(2);
  if (zeros > 0)
    node.add(random.tensor(node.inputs[0].type, {}));
  if (zeros > 1)
    node.add(random.tensor(node.inputs[1].type, each ? Shape{c.weights[0]} : Shape{}));
  HostTensor result = makeTensor(ElementType::Int32, c.shape);
  std::size_t to = 0;
  forEachIndex(c.shape, [&](const Shape &index) {
    setInteger(result, to++,
               sumAt(c, index, node.inputs[0], node.inputs[1],
                     zeros > 0 ? node.inputs[2].integers[0] : 0, [&](std::size_t channel) {
                       return zeros > 1 ? node.inputs[3].integers[each ? channel : 0] : 0;
                     }));
  });
  node.expected = {{result, {}}};
  return node;
}

/// Makes a QLinearConv. The scales are powers of two, so rounding does not depend on the order of
/// products and quotients.
RandomNode qLinearConv(Random &random, std::int64_t) {
  RandomNode node{.op = "QLinearConv"};
  const IntegerConvolution c = drawnConvolution(random, node);
  const auto drawnScales = [&](const Shape &shape) {
    HostTensor scales = makeTensor(ElementType::Float, shape);
    for (float &scale : scales.reals)
      scale = random.oneOf(std::vector<float>{0.25f, 0.5f, 0.0078125f});
    return scales;
  };
  const Shape each = random.oneIn(2) ? Shape{c.weights[0]} : Shape{};
  node.add(drawnBytes(random, c.in));
  node.add(drawnScales({}));
  node.add(random.tensor(node.inputs[0].type, {}));
  node.add(drawnBytes(random, c.weights));
  node.add(drawnScales(each));
  node.add(random.tensor(node.inputs[3].type, each));
  node.add(drawnScales({}));
  node.add(drawnBytes(random, {}));
  const bool biased = random.oneIn(2);
  if (biased)
    node.add(random.integers(ElementType::Int32, {c.weights[0]}, -5000, 5000));
  const std::vector<HostTensor> &in = node.inputs;
  const ElementType type = in[7].type;
  const double lowest = isSigned(type) ? -128 : 0;
  HostTensor result = makeTensor(type, c.shape);
  std::size_t to = 0;
  forEachIndex(c.shape, [&](const Shape &index) {
    const std::size_t channel = each.empty() ? 0 : index[1];
    const std::int64_t sum = sumAt(c, index, in[0], in[3], in[2].integers[0],
                                   [&](std::size_t) { return in[5].integers[channel]; }) +
                             (biased ? in[8].integers[index[1]] : 0);
    const double real = static_cast<double>(sum) * in[1].at(0) * in[4].at(channel) / in[6].at(0);
    setElement(result, to++, std::clamp(std::nearbyint(real) + in[7].at(0), lowest, lowest + 255));
  });
  node.expected = {{result, {}}};
  return node;
}

} // namespace

void addNodesOfIntegerWindows(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {convInteger, qLinearConv});
}

} // namespace copse::test
