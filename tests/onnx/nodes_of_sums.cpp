// Makes nodes of reductions, norms, products of matrices, and other sums.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Integers = std::vector<std::int64_t>;
using Reals = Random::Reals;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Returns reals and their magnitudes as an expected result of this type.
Expected ofReals(ElementType type, const Shape &shape, const std::vector<double> &values,
                 const std::vector<double> &magnitudes = {}) {
  HostTensor result = makeTensor(type, shape);
  for (std::size_t i = 0; i < values.size(); ++i)
    setElement(result, i, values[i]);
  return {result, magnitudes};
}

/// Returns some axes of a shape, in any order, some of them counted from the end.
Integers someAxes(Random &random, std::size_t rank) {
  Integers axes;
  for (std::size_t d = 0; d < rank; ++d)
    if (random.oneIn(2))
      axes.push_back(static_cast<std::int64_t>(d) -
                     (random.oneIn(3) ? static_cast<std::int64_t>(rank) : 0));
  if (random.oneIn(2))
    std::reverse(axes.begin(), axes.end());
  return axes;
}

bool contains(const Integers &axes, std::size_t d, std::size_t rank) {
  return std::any_of(axes.begin(), axes.end(), [&](std::int64_t axis) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis) == d;
  });
}

/// Returns the elements of each result, by its position: those that differ in reduced dimensions
/// only.
std::vector<std::vector<std::size_t>> groupsOf(const Shape &in, const Integers &axes, Shape &kept) {
  kept = in;
  for (std::size_t d = 0; d < in.size(); ++d)
    if (axes.empty() || contains(axes, d, in.size()))
      kept[d] = 1;
  std::vector<std::vector<std::size_t>> groups(onnx::elementsOf(kept));
  std::size_t from = 0;
  forEachIndex(in, [&](const Shape &index) { groups[positionOf(kept, index)].push_back(from++); });
  return groups;
}

Shape withoutAxes(const Shape &in, const Integers &axes) {
  Shape shape;
  for (std::size_t d = 0; d < in.size(); ++d)
    if (!axes.empty() && !contains(axes, d, in.size()))
      shape.push_back(in[d]);
  return shape;
}

double reducedReals(const std::string &name, const std::vector<double> &x) {
  double sum = 0, product = 1, squares = 0, sizes = 0;
  double largest = -kInfinity, smallest = kInfinity;
  for (const double value : x) {
    sum += value;
    product *= value;
    squares += value * value;
    sizes += std::fabs(value);
    largest = std::isnan(largest) || largest > value ? largest : value;
    smallest = std::isnan(smallest) || smallest < value ? smallest : value;
  }
  if (name == "ReduceLogSumExp") {
    const double shift = std::isfinite(largest) ? largest : 0;
    double exponents = 0;
    for (const double value : x)
      exponents += std::exp(value - shift);
    return std::log(exponents) + shift;
  }
  return name == "ReduceSum"         ? sum
         : name == "ReduceMean"      ? sum / static_cast<double>(x.size())
         : name == "ReduceProd"      ? product
         : name == "ReduceSumSquare" ? squares
         : name == "ReduceL1"        ? sizes
         : name == "ReduceL2"        ? std::sqrt(squares)
         : name == "ReduceLogSum"    ? std::log(sum)
         : name == "ReduceMax"       ? largest
                                     : smallest;
}

std::int64_t reducedIntegers(const std::string &name, const Integers &x, ElementType type) {
  std::int64_t sum = 0, product = 1, squares = 0, sizes = 0;
  const auto times = [&](std::int64_t m, std::int64_t n) { // wraps round
    return onnx::wrapped(
        static_cast<std::int64_t>(static_cast<std::uint64_t>(m) * static_cast<std::uint64_t>(n)),
        type);
  };
  for (const std::int64_t value : x) {
    sum += value;
    product = times(product, value);
    squares += times(value, value);
    sizes += std::abs(value);
  }
  return name == "ReduceSum"    ? sum
         : name == "ReduceMean" ? onnx::wrapped(sum, type) / static_cast<std::int64_t>(x.size())
         : name == "ReduceProd" ? product
         : name == "ReduceSumSquare" ? squares
         : name == "ReduceL1"        ? sizes
         : name == "ReduceL2"  ? static_cast<std::int64_t>(std::sqrt(static_cast<double>(squares)))
         : name == "ReduceMax" ? *std::max_element(x.begin(), x.end())
                               : *std::min_element(x.begin(), x.end());
}

/// Adds the axes: an input from opset 13 for sums, from 18 for all others.
void addAxes(RandomNode &node, Random &random, std::int64_t opset, const Integers &axes) {
  if (axes.empty() && random.oneIn(2))
    return;
  if (axes.empty() && !(opset >= (node.op == "ReduceSum" ? 13 : 18)))
    return;
  if (opset >= (node.op == "ReduceSum" ? 13 : 18))
    node.add(listOf(axes), true);
  else
    node.attributes["axes"] = axes;
}

RandomNode reduction(Random &random, std::int64_t opset) {
  static const std::vector<std::string> kNames = {
      "ReduceSum", "ReduceMean", "ReduceProd",   "ReduceMax",       "ReduceMin",
      "ReduceL1",  "ReduceL2",   "ReduceLogSum", "ReduceLogSumExp", "ReduceSumSquare"};
  const std::string name = random.pick(kNames);
  const bool isExtreme = name == "ReduceMax" || name == "ReduceMin",
             isLogarithm = name == "ReduceLogSum" || name == "ReduceLogSumExp";
  std::vector<ElementType> types = kReals;
  if (!isLogarithm)
    types.insert(types.end(), {ElementType::Int32, ElementType::UInt32, ElementType::Int64});
  if (isExtreme)
    types.insert(types.end(), {ElementType::Int8, ElementType::UInt8});
  const ElementType type = random.pick(types);
  Shape shape = random.shape(0, 6);
  if (!isReal(type)) // no elements have no mean
    for (std::size_t &size : shape)
      size = std::max<std::size_t>(1, size);
  const Integers axes = someAxes(random, shape.size());
  const bool keeps = random.oneIn(2);
  RandomNode node{.op = name, .tolerance = 64};
  if (!keeps || random.oneIn(2))
    node.attributes["keepdims"] = std::int64_t{keeps};
  // Whether factors overflow before they are multiplied by zero depends on their order, which the
  // standard leaves open.
  if (isReal(type))
    node.add(random.tensor(
        type, shape,
        (isExtreme || random.oneIn(4)) && name != "ReduceProd" ? Reals::Special : Reals::Ordinary));
  else if (isExtreme || name == "ReduceSum" || name == "ReduceProd")
    node.add(random.tensor(type, shape));
  else
    node.add(random.integers(type, shape, type == ElementType::UInt32 ? 0 : -1000, 1000));
  if (onnx::widthOf(type) == 8 && name == "ReduceProd" && !isReal(type))
    node.inputs[0] = random.integers(type, shape, -1, 1);
  addAxes(node, random, opset, axes);
  Shape kept;
  const auto groups = groupsOf(shape, axes, kept);
  const HostTensor &in = node.inputs[0];
  HostTensor result = makeTensor(type, keeps ? kept : withoutAxes(shape, axes));
  std::vector<double> magnitudes;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    std::vector<double> reals;
    Integers integers;
    double magnitude = 0;
    for (const std::size_t from : groups[i]) {
      reals.push_back(in.at(from));
      if (!isReal(type))
        integers.push_back(in.integers[from]);
      magnitude += std::fabs(in.at(from));
    }
    magnitudes.push_back(name == "ReduceSum" ? magnitude
                         : name == "ReduceMean"
                             ? magnitude /
                                   static_cast<double>(std::max<std::size_t>(1, reals.size()))
                         : name == "ReduceLogSumExp" && std::isfinite(magnitude) ? magnitude
                                                                                 : 0);
    if (name == "ReduceLogSum") { // the logarithm of a sum that cancels
      const double sum = std::fabs(std::accumulate(reals.begin(), reals.end(), 0.0));
      magnitudes.back() = std::isfinite(magnitude / sum) ? magnitude / sum : 0;
    }
    if (isReal(type))
      setElement(result, i, reducedReals(name, reals));
    else
      setInteger(result, i, reducedIntegers(name, integers, type));
  }
  node.expected = {{result, magnitudes}};
  return node;
}

RandomNode softmax(Random &random, std::int64_t opset) {
  const bool logarithm = random.oneIn(2), flattens = opset < 13;
  const ElementType type = random.pick(kReals);
  const Shape shape = random.shape(1, 5);
  const std::size_t axis = random.below(shape.size());
  RandomNode node{.op = logarithm ? "LogSoftmax" : "Softmax",
                  .attributes = {{"axis", random.axis(axis, shape.size())}},
                  .tolerance = 32};
  node.add(random.tensor(type, shape, random.oneIn(3) ? Reals::Special : Reals::Ordinary));
  Integers axes;
  for (std::size_t d = axis; d < (flattens ? shape.size() : axis + 1); ++d)
    axes.push_back(static_cast<std::int64_t>(d));
  Shape kept;
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes(result.elements());
  for (const auto &group : groupsOf(shape, axes, kept)) {
    double largest = -kInfinity, sum = 0;
    for (const std::size_t i : group)
      largest = std::fmax(largest, node.inputs[0].at(i));
    for (const std::size_t i : group)
      sum += std::exp(node.inputs[0].at(i) - largest);
    for (const std::size_t i : group) {
      const double x = node.inputs[0].at(i) - largest;
      setElement(result, i, logarithm ? x - std::log(sum) : std::exp(x) / sum);
      if (logarithm)
        magnitudes[i] = 1;
      else if (std::isfinite(x)) // an exponent's last digit is a factor
        magnitudes[i] = std::exp(x) / sum * std::max(1.0, std::fabs(x));
    }
  }
  node.expected = {{result, magnitudes}};
  return node;
}

RandomNode cumulativeSum(Random &random, std::int64_t) {
  const ElementType type = random.pick(
      std::vector<ElementType>{ElementType::Float, ElementType::Double, ElementType::Int32,
                               ElementType::UInt32, ElementType::Int64});
  const Shape shape = random.shape(1, 5);
  const std::size_t axis = random.below(shape.size());
  const bool reverse = random.oneIn(2), exclusive = random.oneIn(2);
  RandomNode node{
      .op = "CumSum",
      .attributes = {{"reverse", std::int64_t{reverse}}, {"exclusive", std::int64_t{exclusive}}},
      .tolerance = 32};
  node.add(random.tensor(type, shape, Reals::Ordinary));
  HostTensor number = listOf(Integers{random.axis(axis, shape.size())});
  number.shape = {};
  node.add(number, true);
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes;
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double sum = 0, magnitude = 0;
    std::int64_t integers = 0;
    for (std::size_t i = 0; i < shape[axis]; ++i) {
      if (!(reverse ? i > index[axis] : i < index[axis]) && !(i == index[axis] && !exclusive))
        continue;
      Shape from = index;
      from[axis] = i;
      const std::size_t position = positionOf(shape, from);
      sum += node.inputs[0].at(position);
      magnitude += std::fabs(node.inputs[0].at(position));
      integers += isReal(type) ? 0 : node.inputs[0].integers[position];
    }
    magnitudes.push_back(magnitude);
    if (isReal(type))
      setElement(result, to++, sum);
    else
      setInteger(result, to++, integers);
  });
  node.expected = {{result, magnitudes}};
  return node;
}

/// Elements with mean 0 and variance 1 in groups, for a given inverse of the deviation.
struct White {
  std::vector<double> elements, means, inverses;
  std::vector<double> magnitudes; ///< magnitudes of elements, of which differences lose digits
};
White whitened(const HostTensor &in, const std::vector<std::vector<std::size_t>> &groups,
               const std::function<double(double)> &inverse) {
  White white{std::vector<double>(in.elements()), {}, {}, std::vector<double>(in.elements())};
  for (const auto &group : groups) {
    const auto n = static_cast<double>(group.size());
    double sum = 0, squares = 0, size = 0;
    for (const std::size_t i : group) {
      sum += in.at(i);
      size = std::max(size, std::fabs(in.at(i)));
    }
    for (const std::size_t i : group)
      squares += (in.at(i) - sum / n) * (in.at(i) - sum / n);
    const double factor = inverse(squares / n);
    white.means.push_back(sum / n);
    white.inverses.push_back(factor);
    for (const std::size_t i : group) {
      white.elements[i] = (in.at(i) - sum / n) * factor;
      white.magnitudes[i] = size * factor;
    }
  }
  return white;
}

/// Returns a field with an offset for all elements, for which the statistics of halves overflow.
HostTensor fieldOf(Random &random, ElementType type, const Shape &shape) {
  HostTensor field = random.tensor(type, shape, Reals::Ordinary);
  if (random.oneIn(3))
    for (float &x : field.reals)
      x = onnx::rounded(type == ElementType::Half ? x * 8000 : x + 100, type);
  return field;
}

constexpr double kEpsilon = 1e-5f;

/// Outputs the field after scale and bias of each channel, which are inputs 1 and 2.
void outputScaled(RandomNode &node, White white,
                  const std::function<std::size_t(const Shape &)> &channel) {
  const HostTensor &in = node.inputs[0];
  std::size_t i = 0;
  forEachIndex(in.shape, [&](const Shape &index) {
    const double scale = node.inputs[1].at(channel(index)),
                 bias = node.inputs[2].at(channel(index));
    white.magnitudes[i] = white.magnitudes[i] * std::fabs(scale) + std::fabs(bias);
    white.elements[i] = white.elements[i] * scale + bias;
    ++i;
  });
  node.expected = {ofReals(in.type, in.shape, white.elements, white.magnitudes)};
}

RandomNode batchNormalization(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  const Shape shape = random.shape(1, 5);
  const std::size_t channels = shape.size() < 2 ? 1 : shape[1];
  RandomNode node{.op = "BatchNormalization", .tolerance = 16};
  node.add(fieldOf(random, type, shape));
  for (int i = 0; i < 4; ++i)
    node.add(random.tensor(type, {channels}, Reals::Ordinary));
  for (float &x : node.inputs[4].reals)
    x = onnx::rounded(std::fabs(x) + 0.5f, type);
  White white{{}, {}, {}, {}};
  forEachIndex(shape, [&](const Shape &index) {
    const std::size_t channel = shape.size() < 2 ? 0 : index[1];
    const double x = node.inputs[0].at(white.elements.size()), mean = node.inputs[3].at(channel),
                 factor = 1 / std::sqrt(node.inputs[4].at(channel) + kEpsilon);
    white.elements.push_back((x - mean) * factor);
    white.magnitudes.push_back((std::fabs(x) + std::fabs(mean)) * factor);
  });
  outputScaled(node, white, [&](const Shape &index) { return shape.size() < 2 ? 0 : index[1]; });
  return node;
}

RandomNode instanceNormalization(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  const Shape shape = random.shape(3, 5);
  RandomNode node{.op = "InstanceNormalization", .tolerance = 64};
  node.add(fieldOf(random, type, shape));
  node.add(random.tensor(type, {shape[1]}, Reals::Ordinary));
  node.add(random.tensor(type, {shape[1]}, Reals::Ordinary));
  Integers axes;
  for (std::size_t d = 2; d < shape.size(); ++d)
    axes.push_back(static_cast<std::int64_t>(d));
  Shape kept;
  outputScaled(node,
               whitened(node.inputs[0], groupsOf(shape, axes, kept),
                        [](double v) { return 1 / std::sqrt(v + kEpsilon); }),
               [](const Shape &index) { return index[1]; });
  return node;
}

RandomNode groupNormalization(Random &random, std::int64_t opset) {
  if (opset < 18)
    return instanceNormalization(random, opset);
  const ElementType type = random.pick(kReals);
  const std::size_t groups = random.between(1, 3), each = random.between(1, 3);
  Shape shape = random.shape(3, 5);
  shape[1] = groups * each;
  RandomNode node{.op = "GroupNormalization",
                  .attributes = {{"num_groups", static_cast<std::int64_t>(groups)}},
                  .tolerance = 64};
  node.add(fieldOf(random, type, shape));
  node.add(random.tensor(type, {groups}, Reals::Ordinary));
  node.add(random.tensor(type, {groups}, Reals::Ordinary));
  std::vector<std::vector<std::size_t>> members(shape[0] * groups);
  std::size_t i = 0;
  forEachIndex(shape, [&](const Shape &index) {
    members[index[0] * groups + index[1] / each].push_back(i++);
  });
  outputScaled(
      node, whitened(node.inputs[0], members, [](double v) { return 1 / std::sqrt(v + kEpsilon); }),
      [&](const Shape &index) { return index[1] / each; });
  return node;
}

RandomNode meanVarianceNormalization(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  RandomNode node{.op = "MeanVarianceNormalization", .tolerance = 128};
  Shape shape = random.shape(1, 5);
  Integers axes = someAxes(random, shape.size());
  if (axes.empty())
    axes = {0};
  if (shape.size() == 4 && random.oneIn(2))
    axes = {0, 2, 3};
  else
    node.attributes["axes"] = axes;
  node.add(fieldOf(random, type, shape));
  Shape kept;
  const auto groups = groupsOf(shape, axes, kept);
  // Without variance, the result is 0 / 1e-9, or a rounding error by it.
  for (const auto &group : groups)
    for (std::size_t i = 0; i < group.size(); ++i)
      node.inputs[0].reals[group[i]] = onnx::rounded(
          node.inputs[0].reals[group[i]] + (group.size() > 1 ? static_cast<float>(i) : 0), type);
  const White white =
      whitened(node.inputs[0], groups, [](double v) { return 1 / (std::sqrt(v) + 1e-9); });
  std::vector<double> magnitudes = white.magnitudes;
  for (double &m : magnitudes) // one element alone: its mean is itself
    m = m > 1e6 ? 0 : m;
  node.expected = {ofReals(type, shape, white.elements, magnitudes)};
  return node;
}

RandomNode layerNormalization(Random &random, std::int64_t opset) {
  if (opset < 17)
    return batchNormalization(random, opset);
  const ElementType type = random.pick(kReals);
  const Shape shape = random.shape(1, 5);
  const std::size_t axis = random.below(shape.size());
  const Shape row(shape.begin() + static_cast<std::ptrdiff_t>(axis), shape.end());
  RandomNode node{.op = "LayerNormalization",
                  .attributes = {{"axis", random.axis(axis, shape.size())}},
                  .tolerance = 64};
  node.add(fieldOf(random, type, shape));
  node.add(random.tensor(type, row, Reals::Ordinary));
  node.add(random.tensor(type, row, Reals::Ordinary));
  Integers axes;
  for (std::size_t d = axis; d < shape.size(); ++d)
    axes.push_back(static_cast<std::int64_t>(d));
  Shape kept;
  const auto groups = groupsOf(shape, axes, kept);
  const White white =
      whitened(node.inputs[0], groups, [](double v) { return 1 / std::sqrt(v + kEpsilon); });
  const Shape all = shape;
  outputScaled(node, white, [&](const Shape &index) { return positionOf(row, index); });
  if (random.oneIn(2) && node.inputs[0].elements() > 0) {
    std::vector<double> sizes;
    for (const auto &group : groups) {
      double size = 0;
      for (const std::size_t i : group)
        size = std::max(size, std::fabs(node.inputs[0].at(i)));
      sizes.push_back(size);
    }
    node.expected.push_back(ofReals(ElementType::Float, kept, white.means, sizes));
    node.expected.push_back(ofReals(ElementType::Float, kept, white.inverses));
  }
  return node;
}

RandomNode localResponse(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  const Shape shape = random.shape(3, 5);
  const std::size_t size = random.oneOf(std::vector<std::size_t>{1, 2, 3, 5});
  RandomNode node{.op = "LRN",
                  .attributes = {{"size", static_cast<std::int64_t>(size)}, {"alpha", 0.5f}},
                  .tolerance = 16};
  node.add(random.tensor(type, shape, Reals::Ordinary));
  HostTensor result = makeTensor(type, shape);
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double sum = 0;
    for (std::size_t channel = 0; channel < shape[1]; ++channel) {
      if (channel + (size - 1) / 2 < index[1] || channel > index[1] + size / 2)
        continue;
      Shape from = index;
      from[1] = channel;
      const double x = node.inputs[0].at(positionOf(shape, from));
      sum += x * x;
    }
    const double x = node.inputs[0].at(to);
    setElement(result, to++, x / std::pow(1 + 0.5 / static_cast<double>(size) * sum, 0.75));
  });
  node.expected = {{result, {}}};
  return node;
}

/// Adds the product of rows and columns at these positions.
void addProduct(Expected &expected, std::size_t to, const HostTensor &a, const HostTensor &b,
                const std::vector<std::pair<std::size_t, std::size_t>> &pairs, double factor = 1,
                double added = 0) {
  double sum = 0, magnitude = 0;
  std::uint64_t integers = 0;
  for (const auto &[i, j] : pairs) {
    sum += a.at(i) * b.at(j);
    magnitude += std::fabs(a.at(i) * b.at(j));
    if (!isReal(a.type))
      integers +=
          static_cast<std::uint64_t>(a.integers[i]) * static_cast<std::uint64_t>(b.integers[j]);
  }
  expected.magnitudes.push_back(magnitude * std::fabs(factor) + std::fabs(added));
  if (isReal(a.type))
    setElement(expected.value, to, sum * factor + added);
  else
    setInteger(expected.value, to,
               static_cast<std::int64_t>(integers) * static_cast<std::int64_t>(factor) +
                   static_cast<std::int64_t>(added));
}

const std::vector<ElementType> kTypesOfProducts = {ElementType::Float,  ElementType::Half,
                                                   ElementType::Double, ElementType::Int32,
                                                   ElementType::UInt32, ElementType::Int64};

RandomNode matMul(Random &random, std::int64_t) {
  const ElementType type = random.pick(kTypesOfProducts);
  const Shape leading = random.shape(0, 3);
  const std::size_t m = random.size(), k = random.size(), n = random.size();
  Shape left = random.oneIn(2) ? leading : random.broadcastable(leading),
        right = random.oneIn(2) ? leading : random.broadcastable(leading);
  Shape shape = broadcastOf(left, right);
  const bool row = random.oneIn(5), column = random.oneIn(5);
  if (row)
    left = {};
  if (column)
    right = {};
  if (row || column)
    shape = broadcastOf(left, right);
  const std::size_t batches = shape.size();
  if (!row) {
    left.push_back(m);
    shape.push_back(m);
  }
  left.push_back(k);
  right.push_back(k);
  if (!column) {
    right.push_back(n);
    shape.push_back(n);
  }
  RandomNode node{.op = "MatMul", .tolerance = 32};
  node.add(random.tensor(type, left, Reals::Ordinary));
  node.add(random.tensor(type, right, Reals::Ordinary));
  Expected expected{makeTensor(type, shape), {}};
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const auto split = index.begin() + static_cast<std::ptrdiff_t>(batches);
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < k; ++i) {
      Shape a(index.begin(), split), b = a;
      if (!row)
        a.push_back(index[batches]);
      a.push_back(i);
      b.push_back(i);
      if (!column)
        b.push_back(index.back());
      pairs.emplace_back(positionOf(left, a), positionOf(right, b));
    }
    addProduct(expected, to++, node.inputs[0], node.inputs[1], pairs);
  });
  node.expected = {expected};
  return node;
}

RandomNode gemm(Random &random, std::int64_t) {
  const ElementType type = random.pick(kTypesOfProducts);
  const std::size_t m = random.size(), k = random.size(), n = random.size();
  const bool transA = random.oneIn(2), transB = random.oneIn(2), adds = !random.oneIn(3);
  const float alpha = random.pick(std::vector<float>{1, 2, isReal(type) ? 0.5f : 3}),
              beta = random.pick(std::vector<float>{1, 2, isReal(type) ? 0.25f : 0});
  RandomNode node{.op = "Gemm",
                  .attributes = {{"transA", std::int64_t{transA}},
                                 {"transB", std::int64_t{transB}},
                                 {"alpha", alpha},
                                 {"beta", beta}},
                  .tolerance = 32};
  node.add(random.tensor(type, transA ? Shape{k, m} : Shape{m, k}, Reals::Ordinary));
  node.add(random.tensor(type, transB ? Shape{n, k} : Shape{k, n}, Reals::Ordinary));
  for (HostTensor &input : node.inputs) // the third one is not exact in a double otherwise
    for (std::int64_t &i : input.integers)
      i %= 1000;
  if (adds) {
    node.add(random.tensor(type, random.broadcastable({m, n}), Reals::Ordinary));
    for (std::int64_t &i : node.inputs[2].integers)
      i %= 1000;
  }
  Expected expected{makeTensor(type, {m, n}), {}};
  std::size_t to = 0;
  forEachIndex({m, n}, [&](const Shape &index) {
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t i = 0; i < k; ++i)
      pairs.emplace_back(transA ? i * m + index[0] : index[0] * k + i,
                         transB ? index[1] * k + i : i * n + index[1]);
    const double added =
        adds ? node.inputs[2].at(positionOf(node.inputs[2].shape, index)) * double{beta} : 0;
    addProduct(expected, to++, node.inputs[0], node.inputs[1], pairs, double{alpha}, added);
  });
  node.expected = {expected};
  return node;
}

RandomNode einsum(Random &random, std::int64_t) {
  static const std::vector<std::string> kEquations = {
      "ij,jk->ik", "bij,bjk->bik", "i,j->ij",    "ij,ij->",    "bqhd,bkhd->bhqk",
      "ij,ik->jk", "ijk,ki->j",    "ij,kj->ikj", "ab,cd->dbca"};
  const std::string equation = random.oneOf(kEquations);
  const std::size_t comma = equation.find(','), arrow = equation.find("->");
  const std::string first = equation.substr(0, comma),
                    second = equation.substr(comma + 1, arrow - comma - 1),
                    last = equation.substr(arrow + 2);
  std::map<char, std::size_t> sizes;
  for (const char letter : first + second)
    sizes.emplace(letter, random.size());
  const auto shapeOf = [&](const std::string &letters) {
    Shape shape;
    for (const char letter : letters)
      shape.push_back(sizes[letter]);
    return shape;
  };
  const ElementType type = random.pick(kTypesOfProducts);
  RandomNode node{.op = "Einsum", .attributes = {{"equation", equation}}, .tolerance = 32};
  node.add(random.tensor(type, shapeOf(first), Reals::Ordinary));
  node.add(random.tensor(type, shapeOf(second), Reals::Ordinary));
  Expected expected{makeTensor(type, shapeOf(last)), {}};
  std::string letters;
  for (const auto &[letter, size] : sizes)
    letters += letter;
  std::vector<std::vector<std::pair<std::size_t, std::size_t>>> pairs(expected.value.elements());
  forEachIndex(shapeOf(letters), [&](const Shape &index) {
    const auto position = [&](const std::string &of) {
      Shape part;
      for (const char letter : of)
        part.push_back(index[letters.find(letter)]);
      return positionOf(shapeOf(of), part);
    };
    pairs[position(last)].emplace_back(position(first), position(second));
  });
  for (std::size_t i = 0; i < pairs.size(); ++i)
    addProduct(expected, i, node.inputs[0], node.inputs[1], pairs[i]);
  node.expected = {expected};
  return node;
}

/// Makes losses of logarithms of probabilities, or of the values from which these are computed.
RandomNode loss(Random &random, std::int64_t) {
  const bool fromScores = random.oneIn(2);
  const ElementType type = random.pick(kReals);
  Shape shape = random.shape(2, 4);
  for (std::size_t &size : shape)
    size = std::max<std::size_t>(1, size);
  const auto reduction = random.pick(std::vector<std::string>{"none", "sum", "mean"});
  RandomNode node{.op = fromScores ? "SoftmaxCrossEntropyLoss" : "NegativeLogLikelihoodLoss",
                  .attributes = {{"reduction", reduction}},
                  .tolerance = 64};
  Shape fields = shape;
  fields.erase(fields.begin() + 1);
  const auto classes = static_cast<std::int64_t>(shape[1]);
  node.add(random.tensor(type, shape, Reals::Ordinary));
  node.add(random.integers(ElementType::Int64, fields, 0, classes - 1));
  if (random.oneIn(2)) {
    node.add(random.tensor(type, {shape[1]}, Reals::Ordinary));
    for (float &x : node.inputs[2].reals)
      x = onnx::rounded(std::fabs(x) + 0.25f, type);
  }
  const std::int64_t ignored = random.oneIn(2) ? -100 : 0;
  node.attributes["ignore_index"] = ignored;
  double sum = 0, weights = 0, magnitude = 0;
  std::vector<double> losses, sizes;
  forEachIndex(fields, [&](const Shape &index) {
    const std::int64_t target = node.inputs[1].integers[losses.size()];
    Shape at = index;
    at.insert(at.begin() + 1, 0);
    double largest = -kInfinity, exponents = 0;
    const auto x = [&](std::int64_t i) {
      at[1] = static_cast<std::size_t>(i);
      return node.inputs[0].at(positionOf(shape, at));
    };
    for (std::int64_t i = 0; i < classes; ++i)
      largest = std::max(largest, x(i));
    for (std::int64_t i = 0; i < classes; ++i)
      exponents += std::exp(x(i) - largest);
    const double logarithm = fromScores ? x(target) - largest - std::log(exponents) : x(target);
    const double weight = target == ignored ? 0
                          : node.inputs.size() > 2
                              ? node.inputs[2].at(static_cast<std::size_t>(target))
                              : 1;
    losses.push_back(-logarithm * weight);
    sizes.push_back(4 * weight);
    sum += losses.back();
    weights += weight;
    magnitude += std::fabs(losses.back()) + sizes.back();
  });
  if (reduction == "none")
    node.expected = {ofReals(type, fields, losses, sizes)};
  else
    node.expected = {ofReals(type, {}, {reduction == "sum" ? sum : sum / weights},
                             {reduction == "sum" ? magnitude : magnitude / weights})};
  return node;
}

} // namespace

void addNodesOfSums(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {reduction, reduction, reduction, reduction, softmax, softmax,
                               cumulativeSum, batchNormalization, instanceNormalization,
                               groupNormalization, meanVarianceNormalization, layerNormalization,
                               localResponse, matMul, matMul, gemm, einsum, loss});
}

} // namespace copse::test
