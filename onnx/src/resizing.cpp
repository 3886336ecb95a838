// Resizes fields by interpolation along one dimension after another.
#include "expressions.hpp"
#include "operators.hpp"
#include "row_indices.hpp"

#include <cmath>
#include <popops/Cast.hpp>
#include <popops/ElementWise.hpp>

namespace copse::onnx {
namespace {

namespace pe = popops::expr;

/// One summand of an interpolation along a dimension: result[o] is the sum over taps of weights[o]
/// * input[positions[o]].
struct Tap {
  std::vector<std::size_t> positions;
  std::vector<float> weights;
};

/// A dimension that changes its size.
struct Stretch {
  std::size_t from, to;
  double scale;
};

/// Returns the position in the input that corresponds to a position of the result.
double sourceOf(const OperatorContext &c, const Stretch &s, std::size_t position) {
  const auto mode = c.attribute<std::string>("coordinate_transformation_mode", "half_pixel");
  const auto o = static_cast<double>(position), from = static_cast<double>(s.from),
             to = from * s.scale;
  if (c.node.op == "Upsample" || mode == "asymmetric" || c.opset < 11)
    return o / s.scale;
  if (mode == "align_corners")
    return s.to == 1 ? 0 : o * (from - 1) / (to - 1);
  if (mode == "pytorch_half_pixel" && s.to == 1)
    return 0;
  if (mode == "half_pixel" || mode == "pytorch_half_pixel")
    return (o + 0.5) / s.scale - 0.5;
  if (mode == "half_pixel_symmetric") // rounding of a size moves both ends equally
    return from / 2 * (1 - static_cast<double>(s.to) / to) + (o + 0.5) / s.scale - 0.5;
  c.fail("coordinate_transformation_mode '" + mode + "' is not supported");
}

std::size_t clamped(double position, std::size_t size) {
  return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(size) - 1));
}

double roundedToNearest(const OperatorContext &c, double position) {
  const auto mode = c.attribute<std::string>("nearest_mode", "round_prefer_floor");
  if (c.node.op == "Upsample" || c.opset < 11 || mode == "floor")
    return std::floor(position);
  if (mode == "ceil")
    return std::ceil(position);
  return mode == "round_prefer_ceil" ? std::floor(position + 0.5) : std::ceil(position - 0.5);
}

/// Returns the weights of the four points around a fraction. Source: Keys' cubic convolution, as
/// ONNX defines Resize.
std::vector<double> cubicWeights(double fraction, double a) {
  std::vector<double> weights;
  for (const double at : {-1.0, 0.0, 1.0, 2.0}) {
    const double d = std::fabs(at - fraction);
    weights.push_back(d <= 1 ? ((a + 2) * d - (a + 3)) * d * d + 1
                             : ((a * d - 5 * a) * d + 8 * a) * d - 4 * a);
  }
  return weights;
}

std::vector<Tap> tapsOf(const OperatorContext &c, const Stretch &s) {
  const auto mode = c.attribute<std::string>("mode", "nearest");
  const bool nearest = mode == "nearest", cubic = mode == "cubic";
  if (!nearest && !cubic && mode != "linear" && mode != "bilinear")
    c.fail("mode '" + mode + "' is not supported");
  const bool excludes = c.integer("exclude_outside", 0) != 0;
  const std::size_t count = nearest ? 1 : cubic ? 4 : 2;
  std::vector<Tap> taps(count);
  for (std::size_t o = 0; o < s.to; ++o) {
    const double source = sourceOf(c, s, o), below = std::floor(source);
    const double first = nearest ? roundedToNearest(c, source) : cubic ? below - 1 : below;
    std::vector<double> weights =
        nearest ? std::vector<double>{1}
        : cubic ? cubicWeights(source - below, c.real("cubic_coeff_a", -0.75f))
                : std::vector<double>{1 - (source - below), source - below};
    double sum = 0;
    for (std::size_t t = 0; t < count; ++t) {
      const double at = first + static_cast<double>(t);
      if (cubic && excludes && (at < 0 || at >= static_cast<double>(s.from)))
        weights[t] = 0;
      sum += weights[t];
    }
    for (std::size_t t = 0; t < count; ++t) {
      taps[t].positions.push_back(clamped(first + static_cast<double>(t), s.from));
      taps[t].weights.push_back(static_cast<float>(weights[t] / sum));
    }
  }
  return taps;
}

/// Returns a view of slices at positions. Consecutive positions become single slices.
poplar::Tensor at(const poplar::Tensor &in, const std::vector<std::size_t> &positions,
                  unsigned axis) {
  std::vector<poplar::Tensor> parts;
  for (std::size_t i = 0; i < positions.size();) {
    std::size_t run = 1;
    while (i + run < positions.size() && positions[i + run] == positions[i] + run)
      ++run;
    parts.push_back(in.slice(positions[i], positions[i] + run, axis));
    i += run;
  }
  return poplar::concat(parts, axis);
}

/// Returns one factor for each position of a dimension, to be broadcast.
poplar::Tensor factors(OperatorContext &c, const std::vector<float> &weights,
                       const poplar::Tensor &like, unsigned axis) {
  Shape shape(like.rank(), 1);
  shape[axis] = weights.size();
  const poplar::Tensor t = c.graph.addConstant(like.elementType(), shape, weights.data());
  c.graph.setTileMapping(t, 0);
  return t;
}

poplar::Tensor stretched(OperatorContext &c, const poplar::Tensor &in, const Stretch &s,
                         unsigned axis) {
  const std::vector<Tap> taps = tapsOf(c, s);
  if (taps.size() == 1)
    return at(in, taps[0].positions, axis);
  poplar::Tensor result;
  for (std::size_t t = 0; t < taps.size(); ++t) {
    const poplar::Tensor view = at(in, taps[t].positions, axis),
                         weights = factors(c, taps[t].weights, in, axis);
    if (t == 0)
      result = popops::mul(c.graph, view, weights, c.prog, c.node.name);
    else
      popops::mapInPlace(c.graph, pe::Add(pe::_1, pe::Mul(pe::_2, pe::_3)), {result, view, weights},
                         c.prog, c.node.name);
  }
  return result;
}

/// The sizes or scales of the axes that a node resizes. Either list may be empty.
struct Wanted {
  std::vector<double> scales;
  std::vector<std::int64_t> sizes;
};

Wanted wantedOf(const OperatorContext &c) {
  const bool hasRegion = c.node.op == "Resize" && c.opset >= 11;
  const std::size_t scaleInput = hasRegion ? 2 : 1;
  Wanted wanted;
  if (hasRegion && c.has(3))
    wanted.sizes = c.known(3).integers;
  if (c.has(scaleInput))
    wanted.scales.assign(c.known(scaleInput).reals.begin(), c.known(scaleInput).reals.end());
  else if (c.hasAttribute("height_scale")) // the first opset of Upsample
    wanted.scales = {1, 1, double{c.real("height_scale", 1)}, double{c.real("width_scale", 1)}};
  else
    for (const float scale : c.attribute<std::vector<float>>("scales", {}))
      wanted.scales.push_back(double{scale});
  if (wanted.scales.empty() == wanted.sizes.empty())
    c.fail("either scales or sizes are needed");
  return wanted;
}

/// Returns the common scale of all axes if the node keeps the ratio of their sizes, else nothing.
std::optional<double> commonRatio(const OperatorContext &c, const Wanted &wanted,
                                  const std::vector<std::size_t> &axes) {
  const auto policy = c.attribute<std::string>("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
    c.fail("attribute 'keep_aspect_ratio_policy' = '" + policy + "' is not supported");
  if (policy == "stretch" || wanted.sizes.empty())
    return std::nullopt;
  std::vector<double> ratios;
  for (std::size_t i = 0; i < axes.size(); ++i)
    ratios.push_back(static_cast<double>(wanted.sizes[i]) /
                     static_cast<double>(c.shape()[axes[i]]));
  return policy == "not_larger" ? *std::min_element(ratios.begin(), ratios.end())
                                : *std::max_element(ratios.begin(), ratios.end());
}

/// Returns the scale and size of each dimension.
std::vector<Stretch> stretchesOf(const OperatorContext &c) {
  const Shape &in = c.shape();
  const Wanted wanted = wantedOf(c);
  std::vector<std::size_t> axes = c.axes(c.integers("axes"), in.size());
  if (axes.empty()) {
    axes.resize(in.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
  }
  const std::size_t given = wanted.scales.size() + wanted.sizes.size();
  if (given != axes.size())
    c.fail(std::to_string(given) + " scales or sizes do not fit " + std::to_string(axes.size()) +
           " dimensions");
  const auto ratio = commonRatio(c, wanted, axes);
  std::vector<Stretch> result;
  for (const std::size_t size : in)
    result.push_back({size, size, 1});
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto from = static_cast<double>(in[axes[i]]);
    if (in[axes[i]] == 0)
      c.fail("an input of shape " + textOf(in) + " has no elements");
    const double size = ratio                  ? std::floor(from * *ratio + 0.5)
                        : wanted.sizes.empty() ? std::floor(from * wanted.scales[i])
                                               : static_cast<double>(wanted.sizes[i]);
    if (!(size >= 1 && size <= 1e9))
      c.fail("dimension " + std::to_string(axes[i]) + " would have " + std::to_string(size) +
             " elements");
    result[axes[i]].to = static_cast<std::size_t>(size);
    result[axes[i]].scale = ratio ? *ratio : wanted.sizes.empty() ? wanted.scales[i] : size / from;
  }
  return result;
}

/// Refuses an unknown mode, even if no dimension changes. Attributes of other modes than the node's
/// have no effect.
void checkModes(const OperatorContext &c) {
  const auto require = [&](const char *name, std::initializer_list<const char *> known) {
    const auto mode = c.attribute<std::string>(name, *known.begin());
    if (std::find(known.begin(), known.end(), mode) == known.end())
      c.fail(std::string("attribute '") + name + "' = '" + mode + "' is not supported");
  };
  require("coordinate_transformation_mode", {"half_pixel", "asymmetric", "align_corners",
                                             "pytorch_half_pixel", "half_pixel_symmetric"});
  require("nearest_mode", {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"});
  c.requireInteger("antialias", 0);
  c.withoutEffect({"cubic_coeff_a", "exclude_outside", "extrapolation_value"});
  if (c.node.op == "Resize" && c.opset >= 11)
    c.inputWithoutEffect(1); // the region of tf_crop_and_resize
}

/// Truncates integers towards 0 and clamps them to their type's range, because cubic interpolation
/// overshoots.
poplar::Tensor withinType(OperatorContext &c, poplar::Tensor t, const poplar::Type &type) {
  if (!isReal(c.type()) && widthOf(c.type()) <= 2) {
    const auto values = static_cast<double>(std::size_t{1} << (8 * widthOf(c.type())));
    const double lowest = wrapped(-1, c.type()) < 0 ? -values / 2 : 0;
    t = popops::clamp(c.graph, t, scalarConstant(c, poplar::FLOAT, lowest),
                      scalarConstant(c, poplar::FLOAT, lowest + values - 1), c.prog, c.node.name);
  }
  return asType(c, t, type);
}

/// Lowers Resize and Upsample. Interpolates in floats.
void resize(OperatorContext &c) {
  checkModes(c);
  const auto stretches = stretchesOf(c);
  poplar::Tensor result = c.tensor(0);
  const bool interpolates = c.attribute<std::string>("mode", "nearest") != "nearest";
  const poplar::Type type = result.elementType();
  if (interpolates && type != poplar::FLOAT)
    result = popops::cast(c.graph, result, poplar::FLOAT, c.prog, c.node.name);
  for (unsigned d = 0; d < result.rank(); ++d)
    if (stretches[d].to != stretches[d].from || stretches[d].scale != 1)
      result = stretched(c, result, stretches[d], d);
  c.outputInRange(interpolates ? withinType(c, result, type) : result);
}

} // namespace

void addResizing(OperatorTable &table) {
  table["Resize"] = resize;
  table["Upsample"] = resize;
}

} // namespace copse::onnx
