// Makes nodes of reals that are stored as small integers with a scale, and of their products.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;

/// Returns the types of quantities. Newer opsets have halves and integers of 16 bits.
std::vector<ElementType> quantities(std::int64_t opset) {
  if (opset < 18)
    return {ElementType::Int8, ElementType::UInt8};
  return {ElementType::Int8, ElementType::UInt8, ElementType::Int16, ElementType::UInt16};
}
ElementType realType(Random &random, std::int64_t opset) {
  return opset >= 18 && random.oneIn(2) ? ElementType::Half : ElementType::Float;
}

HostTensor scales(Random &random, ElementType type, const Shape &shape) {
  HostTensor scale = makeTensor(type, shape);
  for (float &x : scale.reals)
    x = onnx::rounded(random.oneOf(std::vector<float>{0.25f, 0.5f, 0.0078125f, 0.1f, 0.3f, 0.007f}),
                      type);
  return scale;
}

/// Draws a scale for all elements of \p in, or one for each index of an axis, which becomes an
/// attribute.
Shape shapeOfScales(Random &random, RandomNode &node, const Shape &in, std::size_t &axis) {
  axis = random.below(in.size());
  if (random.oneIn(2))
    return {};
  node.attributes["axis"] = number(axis);
  return {in[axis]};
}

double inRange(double value, ElementType type) {
  const double values = std::exp2(8.0 * static_cast<double>(onnx::widthOf(type)));
  const double lowest = isSigned(type) ? -values / 2 : 0;
  return std::clamp(value, lowest, lowest + values - 1);
}

RandomNode quantize(Random &random, std::int64_t opset) {
  const ElementType type = random.pick(quantities(opset)), scaleType = realType(random, opset);
  const bool ofIntegers = scaleType == ElementType::Float && opset >= 13 && random.oneIn(4);
  const Shape shape = random.shape(1, 4);
  RandomNode node{.op = "QuantizeLinear"};
  std::size_t axis = 0;
  const Shape each = shapeOfScales(random, node, shape, axis);
  node.add(ofIntegers ? random.integers(ElementType::Int32, shape, -100, 100)
                      : random.tensor(scaleType, shape, Reals::Ordinary));
  node.add(scales(random, scaleType, each));
  node.add(random.tensor(type, each));
  HostTensor result = makeTensor(type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const std::size_t s = each.empty() ? 0 : index[axis];
    // The quotient has the type of the scale.
    const float quotient = onnx::rounded(
        static_cast<float>(node.inputs[0].at(to)) / node.inputs[1].reals[s], scaleType);
    const double zero = node.inputs[2].at(s);
    setElement(result, to++, inRange(std::nearbyint(double{quotient}) + zero, type));
  });
  node.expected = {{result, {}}};
  return node;
}

RandomNode dequantize(Random &random, std::int64_t opset) {
  std::vector<ElementType> types = quantities(opset);
  types.push_back(ElementType::Int32);
  const ElementType type = random.pick(types), scaleType = realType(random, opset);
  const Shape shape = random.shape(1, 4);
  RandomNode node{.op = "DequantizeLinear"};
  std::size_t axis = 0;
  const Shape each = shapeOfScales(random, node, shape, axis);
  node.add(random.tensor(type, shape));
  node.add(random.tensor(scaleType, each, Reals::Ordinary));
  HostTensor zero = random.tensor(type, each);
  if (type == ElementType::Int32)
    std::fill(zero.integers.begin(), zero.integers.end(), 0);
  node.add(zero);
  HostTensor result = makeTensor(scaleType, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const std::size_t s = each.empty() ? 0 : index[axis];
    const auto difference = static_cast<double>(node.inputs[0].integers[to] - zero.integers[s]);
    setElement(result, to++, difference * node.inputs[1].at(s));
  });
  node.expected = {{result, {}}};
  return node;
}

/// Follows the function body of opset 11, step by step in floats.
RandomNode quantizeDynamically(Random &random, std::int64_t) {
  Shape shape = random.shape(0, 4);
  for (std::size_t &size : shape)
    size = std::max<std::size_t>(1, size);
  RandomNode node{.op = "DynamicQuantizeLinear"};
  node.add(random.tensor(ElementType::Float, shape, Reals::Ordinary));
  const std::vector<float> &x = node.inputs[0].reals;
  const float least = std::min(0.0f, *std::min_element(x.begin(), x.end())),
              most = std::max(0.0f, *std::max_element(x.begin(), x.end())),
              scale = most == least ? 1.0f : (most - least) / 255.0f,
              zero = std::nearbyint(-least / scale);
  HostTensor result = makeTensor(ElementType::UInt8, shape);
  for (std::size_t i = 0; i < x.size(); ++i)
    setElement(result, i,
               inRange(double{std::nearbyint(x[i] / scale)} + double{zero}, ElementType::UInt8));
  HostTensor scales = makeTensor(ElementType::Float, {}),
             zeros = makeTensor(ElementType::UInt8, {});
  scales.reals = {scale};
  setElement(zeros, 0, double{zero});
  node.expected = {{result, {}}, {scales, {}}, {zeros, {}}};
  return node;
}

HostTensor bytes(Random &random, const Shape &shape) {
  return random.tensor(random.pick(quantities(0)), shape);
}
/// Returns an element of a product of matrices without their zero points.
std::int64_t sumOf(const HostTensor &a, const HostTensor &b, std::int64_t zeroA, std::int64_t zeroB,
                   const Shape &index) {
  const std::size_t n = a.shape[1];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    sum += (a.integers[index[0] * n + i] - zeroA) * (b.integers[i * b.shape[1] + index[1]] - zeroB);
  return sum;
}

RandomNode matMulInteger(Random &random, std::int64_t) {
  const std::size_t m = random.sizeFrom1(), k = random.sizeFrom1(), n = random.sizeFrom1();
  RandomNode node{.op = "MatMulInteger"};
  node.add(bytes(random, {m, k}));
  node.add(bytes(random, {k, n}));
  const bool eachRow = random.oneIn(3), eachColumn = random.oneIn(3);
  node.add(random.tensor(node.inputs[0].type, eachRow ? Shape{m} : Shape{}));
  node.add(random.tensor(node.inputs[1].type, eachColumn ? Shape{n} : Shape{}));
  HostTensor result = makeTensor(ElementType::Int32, {m, n});
  std::size_t to = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    setInteger(result, to++,
               sumOf(node.inputs[0], node.inputs[1],
                     node.inputs[2].integers[eachRow ? index[0] : 0],
                     node.inputs[3].integers[eachColumn ? index[1] : 0], index));
  });
  node.expected = {{result, {}}};
  return node;
}

/// The scales are powers of two, so rounding does not depend on the order of products and
/// quotients.
RandomNode quantizedMatMul(Random &random, std::int64_t) {
  const std::size_t m = random.sizeFrom1(), k = random.sizeFrom1(), n = random.sizeFrom1();
  RandomNode node{.op = "QLinearMatMul"};
  const auto scalar = [&](float value) {
    HostTensor t = makeTensor(ElementType::Float, {});
    t.reals = {value};
    return t;
  };
  const std::vector<float> powers = {0.25f, 0.5f, 0.0078125f};
  float factor = 1;
  for (const Shape &shape : {Shape{m, k}, Shape{k, n}}) {
    node.add(bytes(random, shape));
    node.add(scalar(random.oneOf(powers)));
    factor *= node.inputs.back().reals[0];
    node.add(random.tensor(node.inputs[node.inputs.size() - 2].type, {}));
  }
  node.add(scalar(random.oneOf(powers)));
  factor /= node.inputs.back().reals[0];
  const ElementType type = random.pick(quantities(0));
  node.add(random.tensor(type, {}));
  HostTensor result = makeTensor(type, {m, n});
  std::size_t to = 0;
  forEachIndex(result.shape, [&](const Shape &index) {
    const auto sum =
        static_cast<double>(sumOf(node.inputs[0], node.inputs[3], node.inputs[2].integers[0],
                                  node.inputs[5].integers[0], index));
    setElement(result, to++,
               inRange(std::nearbyint(sum * double{factor}) + node.inputs[7].at(0), type));
  });
  node.expected = {{result, {}}};
  return node;
}

} // namespace

void addNodesOfQuantities(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {quantize, quantize, dequantize, quantizeDynamically, matMulInteger,
                               quantizedMatMul});
}

} // namespace copse::test
