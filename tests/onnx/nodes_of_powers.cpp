// Makes nodes of roots of sums of powers.
#include "drawn_windows.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;

/// Sets an output to the roots of these sums of powers. The relative error of a root is smaller
/// than that of its sum, whose terms do not cancel.
void outputRoots(RandomNode &node, const Shape &shape, const std::vector<double> &sums,
                 std::int64_t p) {
  HostTensor result = makeTensor(node.inputs[0].type, shape);
  for (std::size_t i = 0; i < sums.size(); ++i)
    setElement(result, i, std::pow(sums[i], 1 / static_cast<double>(p)));
  node.expected = {{result, {}}};
}

RandomNode lpPool(Random &random, std::int64_t) {
  const bool isGlobal = random.oneIn(3);
  const ElementType type = random.pick(kReals);
  const std::int64_t p = random.signedBetween(1, 3);
  Shape field(random.between(1, 3));
  Windows w = windowsOver(random, field, false);
  RandomNode node{.op = isGlobal ? "GlobalLpPool" : "LpPool", .tolerance = 64};
  if (isGlobal) {
    w.kernel = listOf(field);
    for (std::size_t d = 0; d < field.size(); ++d)
      w.lower[d] = w.upper[d] = 0, w.outputs[d] = 1;
  } else {
    node.attributes = {{"kernel_shape", w.kernel}, {"strides", w.strides}, {"pads", padsOf(w)}};
  }
  if (p != 2 || random.oneIn(2))
    node.attributes["p"] = p;
  const Shape in = joined({random.between(1, 2), random.between(1, 3)}, field),
              shape = joined({in[0], in[1]}, w.outputs);
  node.add(random.tensor(type, in, Reals::Ordinary));
  std::vector<double> sums;
  forEachIndex(shape, [&](const Shape &index) {
    sums.push_back(0);
    const Shape output(index.begin() + 2, index.end());
    forEachIndex(sizes(w.kernel), [&](const Shape &at) {
      Shape position;
      if (positionIn(w, field, output, at, position))
        sums.back() += std::pow(
            std::fabs(node.inputs[0].at(positionOf(in, joined({index[0], index[1]}, position)))),
            static_cast<double>(p));
    });
  });
  outputRoots(node, shape, sums, p);
  return node;
}

RandomNode lpNormalization(Random &random, std::int64_t) {
  const std::int64_t p = random.signedBetween(1, 2);
  const Shape shape = random.shape(1, 5);
  const std::size_t axis = random.below(shape.size());
  RandomNode node{.op = "LpNormalization", .attributes = {{"p", p}}, .tolerance = 32};
  if (axis + 1 != shape.size() || random.oneIn(2))
    node.attributes["axis"] = random.axis(axis, shape.size());
  node.add(random.tensor(random.pick(kReals), shape, Reals::Ordinary));
  Shape rows = shape;
  rows[axis] = std::min<std::size_t>(1, shape[axis]);
  std::vector<double> sums(onnx::elementsOf(rows));
  forEachIndex(shape, [&](const Shape &index) {
    sums[positionOf(rows, index)] +=
        std::pow(std::fabs(node.inputs[0].at(positionOf(shape, index))), static_cast<double>(p));
  });
  HostTensor result = node.inputs[0];
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const double sum = sums[positionOf(rows, index)];
    setElement(result, to, node.inputs[0].at(to) / (p == 2 ? std::sqrt(sum) : sum));
    ++to;
  });
  node.expected = {{result, {}}};
  return node;
}

} // namespace

void addNodesOfPowers(std::vector<NodeMaker> &makers) {
  makers.insert(makers.end(), {lpPool, lpNormalization});
}

} // namespace copse::test
