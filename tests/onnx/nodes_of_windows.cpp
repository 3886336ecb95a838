// Makes nodes of convolutions, pooling, and resizing.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Integers = std::vector<std::int64_t>;
using Reals = Random::Reals;

/// Windows over a field, with an entry for each of its dimensions.
struct Windows {
  Integers kernel, strides, dilations, lower, upper;
  Shape outputs;
};

Windows windowsOver(Random &random, Shape &field, bool dilates) {
  Windows w;
  for (std::size_t &size : field) {
    size = random.between(1, 6);
    const std::int64_t stride = random.signedBetween(1, 2),
                       dilation = dilates ? random.signedBetween(1, 2) : 1;
    std::int64_t kernel = random.signedBetween(1, 3);
    std::int64_t lower = random.signedBetween(0, kernel - 1),
                 upper = random.signedBetween(0, kernel - 1);
    while (dilation * (kernel - 1) + 1 > number(size) + lower + upper)
      --kernel;
    lower = std::min(lower, kernel - 1); // no window is all padding
    upper = std::min(upper, kernel - 1);
    while (dilation * (kernel - 1) + 1 > number(size) + lower + upper)
      ++size;
    w.kernel.push_back(kernel);
    w.strides.push_back(stride);
    w.dilations.push_back(dilation);
    w.lower.push_back(lower);
    w.upper.push_back(upper);
    w.outputs.push_back(static_cast<std::size_t>(
        (number(size) + lower + upper - dilation * (kernel - 1) - 1) / stride + 1));
  }
  return w;
}

Integers padsOf(const Windows &w) {
  Integers pads = w.lower;
  pads.insert(pads.end(), w.upper.begin(), w.upper.end());
  return pads;
}

Shape sizes(const Integers &list) { return {list.begin(), list.end()}; }

/// Computes the position of element \p at of the kernel for this output.
/// \returns true if it is in the field
bool positionIn(const Windows &w, const Shape &field, const Shape &output, const Shape &at,
                Shape &position) {
  position.clear();
  for (std::size_t d = 0; d < field.size(); ++d) {
    const std::int64_t p =
        number(output[d]) * w.strides[d] + number(at[d]) * w.dilations[d] - w.lower[d];
    if (p < 0 || p >= number(field[d]))
      return false;
    position.push_back(static_cast<std::size_t>(p));
  }
  return true;
}

Shape joined(Shape first, const Shape &rest) {
  first.insert(first.end(), rest.begin(), rest.end());
  return first;
}

RandomNode convolution(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  Shape field(random.between(1, 3));
  const Windows w = windowsOver(random, field, true);
  const std::size_t groups = random.between(1, 2), inputs = random.between(1, 3),
                    outputs = random.between(1, 3),
                    batch = random.oneIn(10) ? 0 : random.between(1, 2);
  RandomNode node{.op = "Conv",
                  .attributes = {{"kernel_shape", w.kernel},
                                 {"strides", w.strides},
                                 {"dilations", w.dilations},
                                 {"pads", padsOf(w)},
                                 {"group", number(groups)}},
                  .tolerance = 64};
  const Shape in = joined({batch, groups * inputs}, field),
              weights = joined({groups * outputs, inputs}, sizes(w.kernel));
  node.add(random.tensor(type, in, Reals::Ordinary));
  node.add(random.tensor(type, weights, Reals::Ordinary), random.oneIn(2));
  const bool biased = random.oneIn(2);
  if (biased)
    node.add(random.tensor(type, {groups * outputs}, Reals::Ordinary));
  const Shape shape = joined({batch, groups * outputs}, w.outputs);
  Expected expected{makeTensor(type, shape), {}};
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double sum = biased ? node.inputs[2].at(index[1]) : 0, magnitude = std::fabs(sum);
    const Shape output(index.begin() + 2, index.end());
    forEachIndex(sizes(w.kernel), [&](const Shape &at) {
      Shape position;
      if (!positionIn(w, field, output, at, position))
        return;
      for (std::size_t i = 0; i < inputs; ++i) {
        const double product =
            node.inputs[0].at(
                positionOf(in, joined({index[0], index[1] / outputs * inputs + i}, position))) *
            node.inputs[1].at(positionOf(weights, joined({index[1], i}, at)));
        sum += product;
        magnitude += std::fabs(product);
      }
    });
    expected.magnitudes.push_back(magnitude);
    setElement(expected.value, to++, sum);
  });
  node.expected = {expected};
  return node;
}

/// Makes a convolution that spreads the input over windows of the result.
RandomNode transposedConvolution(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  Shape field(random.between(1, 2)); // dimensions of the result
  const Windows w = windowsOver(random, field, true);
  Integers added;
  for (std::size_t d = 0; d < field.size();
       ++d) { // sizes that the windows reach, and what is added
    const std::int64_t reached = number(w.outputs[d] - 1) * w.strides[d] +
                                 w.dilations[d] * (w.kernel[d] - 1) + 1 - w.lower[d] - w.upper[d];
    added.push_back(w.strides[d] > 1 ? random.signedBetween(0, w.strides[d] - 1) : 0);
    field[d] = static_cast<std::size_t>(std::max<std::int64_t>(1, reached + added[d]));
    if (reached + added[d] < 1)
      return convolution(random, 13);
  }
  const std::size_t groups = random.between(1, 2), inputs = random.between(1, 3),
                    outputs = random.between(1, 3), batch = random.between(1, 2);
  RandomNode node{.op = "ConvTranspose",
                  .attributes = {{"kernel_shape", w.kernel},
                                 {"strides", w.strides},
                                 {"dilations", w.dilations},
                                 {"pads", padsOf(w)},
                                 {"output_padding", added},
                                 {"group", number(groups)}},
                  .tolerance = 64};
  const Shape in = joined({batch, groups * inputs}, w.outputs),
              weights = joined({groups * inputs, outputs}, sizes(w.kernel)),
              shape = joined({batch, groups * outputs}, field);
  node.add(random.tensor(type, in, Reals::Ordinary));
  node.add(random.tensor(type, weights, Reals::Ordinary), random.oneIn(2));
  std::vector<double> sums(onnx::elementsOf(shape)), magnitudes(sums.size());
  std::size_t from = 0;
  forEachIndex(in, [&](const Shape &index) {
    const double x = node.inputs[0].at(from++);
    const Shape output(index.begin() + 2, index.end());
    forEachIndex(joined({outputs}, sizes(w.kernel)), [&](const Shape &at) {
      Shape position;
      if (!positionIn(w, field, output, Shape(at.begin() + 1, at.end()), position))
        return;
      const double product = x * node.inputs[1].at(positionOf(weights, joined({index[1]}, at)));
      const std::size_t to =
          positionOf(shape, joined({index[0], index[1] / inputs * outputs + at[0]}, position));
      sums[to] += product;
      magnitudes[to] += std::fabs(product);
    });
  });
  Expected expected{makeTensor(type, shape), magnitudes};
  for (std::size_t i = 0; i < sums.size(); ++i)
    setElement(expected.value, i, sums[i]);
  node.expected = {expected};
  return node;
}

bool hasWindowOfPadding(const Windows &w, const Shape &field) {
  for (std::size_t d = 0; d < field.size(); ++d)
    for (std::size_t o = 0; o < w.outputs[d]; ++o) {
      bool reachesField = false;
      for (std::int64_t k = 0; k < w.kernel[d]; ++k) {
        const std::int64_t p = number(o) * w.strides[d] + k * w.dilations[d] - w.lower[d];
        reachesField = reachesField || (p >= 0 && p < number(field[d]));
      }
      if (!reachesField)
        return true;
    }
  return false;
}

RandomNode pooling(Random &random, std::int64_t opset) {
  const bool isGlobal = random.oneIn(3), isMaximum = random.oneIn(2),
             countsPadding = random.oneIn(2);
  const ElementType type = random.pick(
      isMaximum && !isGlobal
          ? std::vector<ElementType>{ElementType::Float, ElementType::Half, ElementType::Double,
                                     ElementType::Int8, ElementType::UInt8}
          : kReals);
  Shape field(random.between(1, 3));
  Windows w = windowsOver(random, field, isMaximum && !isGlobal && random.oneIn(2));
  if (!isGlobal && hasWindowOfPadding(w, field))
    return pooling(random, opset);
  RandomNode node{.op = std::string(isGlobal ? "Global" : "") + (isMaximum ? "Max" : "Average") +
                        "Pool",
                  .tolerance = 32};
  if (isGlobal) {
    w.kernel = listOf(field);
    for (std::size_t d = 0; d < field.size(); ++d)
      w.lower[d] = w.upper[d] = 0, w.outputs[d] = 1;
  } else {
    node.attributes = {{"kernel_shape", w.kernel}, {"strides", w.strides}, {"pads", padsOf(w)}};
    if (!isMaximum)
      node.attributes["count_include_pad"] = std::int64_t{countsPadding};
    else
      node.attributes["dilations"] = w.dilations;
  }
  const Shape in = joined({random.oneIn(10) ? 0 : random.between(1, 2), random.between(1, 3)},
                          field),
              shape = joined({in[0], in[1]}, w.outputs);
  node.add(random.tensor(type, in, isMaximum ? Reals::Special : Reals::Ordinary));
  if (!isMaximum && type != ElementType::Half && random.oneIn(3) && node.inputs[0].elements() > 0)
    node.inputs[0].reals[0] = std::numeric_limits<float>::quiet_NaN();
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes;
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double sum = 0, largest = -std::numeric_limits<double>::infinity(), magnitude = 0, count = 0;
    const Shape output(index.begin() + 2, index.end());
    forEachIndex(sizes(w.kernel), [&](const Shape &at) {
      Shape position;
      if (!positionIn(w, field, output, at, position))
        return;
      const double x = node.inputs[0].at(positionOf(in, joined({index[0], index[1]}, position)));
      sum += x;
      magnitude += std::fabs(x);
      largest = std::isnan(largest) || largest > x ? largest : x;
      ++count;
    });
    if (countsPadding && !isGlobal) {
      count = 1;
      for (const std::int64_t size : w.kernel)
        count *= static_cast<double>(size);
    }
    magnitudes.push_back(isMaximum ? 0 : magnitude / count);
    setElement(result, to++, isMaximum ? largest : sum / count);
  });
  node.expected = {{result, magnitudes}};
  return node;
}

/// Makes a node that resizes by scales, from the asymmetric positions; linear or nearest.
RandomNode resize(Random &random, std::int64_t) {
  const bool linear = random.oneIn(2);
  const ElementType type = random.pick(std::vector<ElementType>{
      ElementType::Float, ElementType::Half, ElementType::Int32, ElementType::UInt8});
  const Shape in = {1, random.between(1, 2), random.between(1, 5), random.between(1, 5)};
  // Integers are truncated: with a weight of a third, which no float represents, the order of sums
  // would decide.
  const bool isExact = !isReal(type);
  const std::vector<float> scales = {
      1, 1, random.pick(std::vector<float>{1, 2, 0.5f, isExact ? 4.0f : 1.5f}),
      random.pick(std::vector<float>{1, 2, isExact ? 8.0f : 3.0f})};
  RandomNode node{.op = "Resize",
                  .attributes = {{"mode", std::string(linear ? "linear" : "nearest")},
                                 {"coordinate_transformation_mode", std::string("asymmetric")},
                                 {"nearest_mode", std::string("floor")}},
                  .tolerance = 32};
  node.add(isReal(type) ? random.tensor(type, in, Reals::Ordinary)
                        : random.integers(type, in, 0, 200));
  node.add(makeTensor(ElementType::Float, {0}), true);
  node.add({ElementType::Float, {4}, scales, {}}, true);
  Shape shape = in;
  for (std::size_t d = 0; d < 4; ++d)
    shape[d] = static_cast<std::size_t>(std::floor(static_cast<float>(in[d]) * scales[d]));
  if (onnx::elementsOf(shape) == 0)
    return pooling(random, 13);
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes;
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    double value = 0;
    for (const std::size_t corner : {0, 1, 2, 3}) {
      double weight = 1;
      Shape from = {index[0], index[1]};
      for (const std::size_t d : {2, 3}) {
        const double position = static_cast<double>(index[d]) / static_cast<double>(scales[d]),
                     fraction = linear ? position - std::floor(position) : 0;
        const std::size_t above = corner >> (d - 2) & 1;
        weight *= above != 0 ? fraction : 1 - fraction;
        from.push_back(std::min(in[d] - 1, static_cast<std::size_t>(position) + above));
      }
      value += weight * node.inputs[0].at(positionOf(in, from));
    }
    magnitudes.push_back(4);
    setElement(result, to++, value);
  });
  node.expected = {{result, magnitudes}};
  return node;
}

} // namespace

void addNodesOfWindows(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(),
                {convolution, convolution, transposedConvolution, pooling, pooling, resize});
}

} // namespace copse::test
