// Makes nodes that resize fields.
#include "random_node.hpp"

#include <algorithm>
#include <cmath>

namespace copse::test {
namespace {

using onnx::ElementType;
using onnx::HostTensor;
using onnx::Shape;
using Reals = Random::Reals;

/// How a node finds the elements of its result.
struct Resizing {
  std::string mode, positions, nearest;
  bool excludes = false; ///< cubic: elements outside have no weight
};

/// Returns the position in the input that corresponds to position \p o of the result.
double sourceOf(const Resizing &r, double o, double scale, std::size_t from, std::size_t to) {
  if (r.positions == "asymmetric")
    return o / scale;
  if (r.positions == "align_corners")
    return to == 1 ? 0 : o * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  if (r.positions == "pytorch_half_pixel" && to == 1)
    return 0;
  return (o + 0.5) / scale - 0.5;
}

double nearestTo(const Resizing &r, double position) {
  const double below = std::floor(position), fraction = position - below;
  if (r.nearest == "floor")
    return below;
  if (r.nearest == "ceil")
    return std::ceil(position);
  const bool up = r.nearest == "round_prefer_ceil" ? fraction >= 0.5 : fraction > 0.5;
  return up ? below + 1 : below;
}

/// Returns the weight of an element at this distance, which is below 2. Source: Keys' cubic
/// convolution with a = -0.75.
double cubicWeight(double distance) {
  constexpr double a = -0.75;
  const double d = std::fabs(distance);
  return d <= 1 ? (a + 2) * d * d * d - (a + 3) * d * d + 1
                : a * d * d * d - 5 * a * d * d + 8 * a * d - 4 * a;
}

/// Returns the elements of a dimension that a position is interpolated from, with their weights.
std::vector<std::pair<std::size_t, double>> elementsAround(const Resizing &r, double position,
                                                           std::size_t size) {
  const auto inside = [&](double at) {
    return static_cast<std::size_t>(std::clamp(at, 0.0, static_cast<double>(size - 1)));
  };
  if (r.mode == "nearest")
    return {{inside(nearestTo(r, position)), 1}};
  const double below = std::floor(position);
  if (r.mode == "linear")
    return {{inside(below), below + 1 - position}, {inside(below + 1), position - below}};
  std::vector<std::pair<std::size_t, double>> elements;
  double sum = 0;
  for (double at = below - 1; at <= below + 2; ++at) {
    const bool isOutside = at < 0 || at > static_cast<double>(size - 1);
    const double weight = r.excludes && isOutside ? 0 : cubicWeight(at - position);
    elements.emplace_back(inside(at), weight);
    sum += weight;
  }
  for (auto &[at, weight] : elements)
    weight /= r.excludes ? sum : 1;
  return elements;
}

/// Draws a scale. Interpolated integers are truncated: with a weight of a third, which no float
/// represents, the order of sums would decide.
float drawnScale(Random &random, bool isExact) {
  return random.oneOf(isExact ? std::vector<float>{1, 2, 0.5f, 4}
                              : std::vector<float>{1, 2, 0.5f, 1.5f, 3, 0.75f});
}

RandomNode resize(Random &random, std::int64_t opset) {
  Resizing r;
  r.mode = random.pick(std::vector<std::string>{"nearest", "linear", "cubic"});
  r.positions = random.oneOf(
      std::vector<std::string>{"half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"});
  r.nearest = random.oneOf(
      std::vector<std::string>{"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  r.excludes = r.mode == "cubic" && random.oneIn(3);
  const std::vector<ElementType> floats = {ElementType::Float, ElementType::Half};
  // Cubic weights of integers, and positions between corners, are not exact.
  const bool exact = r.mode == "nearest" || (r.mode == "linear" && r.positions == "asymmetric");
  const ElementType type =
      random.pick(exact ? std::vector<ElementType>{ElementType::Float, ElementType::Half,
                                                   ElementType::Int32, ElementType::UInt8}
                        : floats);
  const bool bySizes = isReal(type) && random.oneIn(3);
  const Shape in = {random.between(1, 2), random.between(1, 2), random.between(1, 5),
                    random.between(1, 5)};
  HostTensor scales{ElementType::Float, {4}, {1, 1, 1, 1}, {}};
  std::vector<std::int64_t> wanted = listOf(in);
  for (const std::size_t d : {2, 3}) {
    scales.reals[d] = drawnScale(random, !isReal(type));
    wanted[d] =
        bySizes
            ? random.signedBetween(1, 7)
            : static_cast<std::int64_t>(std::floor(static_cast<float>(in[d]) * scales.reals[d]));
    // The standard's text and its tests do not agree on positions that depend on a rounded size.
    const bool dependsOnSize =
        r.positions == "align_corners" || r.positions == "pytorch_half_pixel";
    const float size = static_cast<float>(in[d]) * scales.reals[d];
    if (wanted[d] == 0 || (!bySizes && dependsOnSize && size != std::floor(size)))
      return resize(random, opset);
    if (bySizes)
      scales.reals[d] = static_cast<float>(wanted[d]) / static_cast<float>(in[d]);
  }
  RandomNode node{.op = "Resize",
                  .attributes = {{"mode", r.mode},
                                 {"coordinate_transformation_mode", r.positions},
                                 {"nearest_mode", r.nearest}},
                  .tolerance = 32};
  if (r.excludes)
    node.attributes["exclude_outside"] = std::int64_t{1};
  node.add(isReal(type) ? random.tensor(type, in, Reals::Ordinary)
                        : random.integers(type, in, 0, 200));
  node.add(makeTensor(ElementType::Float, {0}), true);
  if (bySizes) {
    node.add(makeTensor(ElementType::Float, {0}), true);
    node.add(listOf(wanted), true);
  } else {
    node.add(scales, true);
  }
  const Shape shape(wanted.begin(), wanted.end());
  HostTensor result = makeTensor(type, shape);
  std::vector<double> magnitudes;
  std::size_t to = 0;
  forEachIndex(shape, [&](const Shape &index) {
    const auto around = [&](std::size_t d) {
      const double scale = bySizes ? static_cast<double>(wanted[d]) / static_cast<double>(in[d])
                                   : double{scales.reals[d]};
      return elementsAround(r, sourceOf(r, static_cast<double>(index[d]), scale, in[d], shape[d]),
                            in[d]);
    };
    double value = 0, magnitude = 0;
    for (const auto &[y, weightY] : around(2))
      for (const auto &[x, weightX] : around(3)) {
        const double term =
            weightY * weightX * node.inputs[0].at(positionOf(in, {index[0], index[1], y, x}));
        value += term;
        magnitude += std::fabs(term);
      }
    magnitudes.push_back(std::max(magnitude, 4.0));
    setElement(result, to++, value);
  });
  node.expected = {{result, magnitudes}};
  return node;
}

} // namespace

void addNodesOfResizing(std::vector<NodeMaker> &makers) { makers.insert(makers.end(), 2, resize); }

} // namespace copse::test
