// Makes nodes of convolutions and pooling.
#include "drawn_windows.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;

void setPadding(RandomNode &node, const Windows &w, const std::string &automatic) {
  if (automatic.empty())
    node.attributes["pads"] = padsOf(w);
  else
    node.attributes["auto_pad"] = automatic;
}

RandomNode convolution(Random &random, std::int64_t) {
  const ElementType type = random.pick(kReals);
  Shape field(random.between(1, 3));
  Windows w = windowsOver(random, field, true);
  const std::string automatic = padAutomatically(random, field, w);
  const std::size_t groups = random.between(1, 2), inputs = random.between(1, 3),
                    outputs = random.between(1, 3),
                    batch = random.oneIn(10) ? 0 : random.between(1, 2);
  RandomNode node{
      .op = "Conv",
      .attributes = {{"strides", w.strides}, {"dilations", w.dilations}, {"group", number(groups)}},
      .tolerance = 64};
  setPadding(node, w, automatic);
  if (random.oneIn(2)) // else that of the weights
    node.attributes["kernel_shape"] = w.kernel;
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

/// Adds windows that start in the field or its lower padding, even if they are not full.
void roundUp(const Shape &field, Windows &w) {
  for (std::size_t d = 0; d < field.size(); ++d) {
    const std::int64_t extent = w.dilations[d] * (w.kernel[d] - 1) + 1,
                       free = number(field[d]) + w.lower[d] + w.upper[d] - extent;
    std::int64_t last = (free + w.strides[d] - 1) / w.strides[d];
    while (last * w.strides[d] >= number(field[d]) + w.lower[d])
      --last;
    w.outputs[d] = static_cast<std::size_t>(last + 1);
  }
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
  const std::string automatic = isGlobal ? "" : padAutomatically(random, field, w);
  const bool roundsUp =
      !isGlobal && automatic.empty() && (isMaximum || !countsPadding) && random.oneIn(3);
  if (roundsUp)
    roundUp(field, w);
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
    node.attributes = {{"kernel_shape", w.kernel}, {"strides", w.strides}};
    setPadding(node, w, automatic);
    if (roundsUp)
      node.attributes["ceil_mode"] = std::int64_t{1};
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

} // namespace

void addNodesOfWindows(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {convolution, convolution, transposedConvolution, pooling, pooling});
}

} // namespace copse::test
