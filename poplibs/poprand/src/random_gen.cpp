#include "bounds.hpp"
#include "poprand/RandomGen.hpp"
#include "vertices.hpp"

#include <cmath>
#include <limits>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/tile_shares.hpp>

namespace poprand {
namespace {

using poplar::Graph;
using poplar::Tensor;
using poplar::Type;

void require(const char *function, bool holds, const std::string &what) {
  if (!holds)
    throw poputil::poplibs_error(std::string(function) + ": " + what);
}

void checkType(const char *function, const Type &type, bool integers) {
  const bool known =
      type == poplar::FLOAT || type == poplar::HALF || (integers && type == poplar::INT);
  require(function, known,
          std::string("the result must be FLOAT") + (integers ? ", HALF or INT" : " or HALF") +
              ", not " + type.toString());
}

/// Sets the fields of each vertex of a distribution.
using Parameters = std::function<void(Graph &, poplar::VertexRef)>;

/// Returns a new tensor like \p reference, filled by vertices of one kind.
Tensor drawn(Graph &graph, const char *function, const std::string &vertex, const Type &type,
             const Tensor &reference, const Drawing &drawing, const Parameters &parameters,
             poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  if (drawing.seed != nullptr)
    checkSeed(function, *drawing.seed);
  const std::string vertexType = poputil::templateVertex("poprand::" + vertex, type);
  copse::tile_work::addCodeletGroup(graph, "poprand", "distributions", vertexType);
  const Tensor out = graph.clone(type, reference, {debugContext, function});
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, function});
  for (const auto &share : copse::tile_work::sharesByTile(graph, {out})) {
    const Tensor &elements = share.views.front();
    const poplar::VertexRef v = graph.addVertex(cs, vertexType, {{"out", elements}});
    parameters(graph, v);
    connectDrawing(graph, v, drawing, share.tile, elements.numElements());
  }
  prog.add(poplar::program::Execute(cs, {debugContext, function}));
  return out;
}

void setLimits(Graph &graph, poplar::VertexRef v, const Type &type, double low, double high) {
  if (type == poplar::INT) {
    graph.setInitialValue(v["low"], static_cast<float>(low));
    graph.setInitialValue(v["high"], static_cast<float>(high));
    return;
  }
  graph.setInitialValue(v["low"], leastNotBelow(type, low));
  graph.setInitialValue(v["high"], greatestNotAbove(type, high));
}

bool isWhole(double x) { return std::floor(x) == x; }

/// Returns the cumulative standard normal distribution.
double distribution(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

Tensor drawNormal(Graph &graph, const char *function, const Type &type, const Tensor &reference,
                  const Drawing &drawing, double mean, double stdDev, double alpha,
                  poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  checkType(function, type, false);
  const bool whole = std::isinf(alpha);
  const double first = whole ? 0 : distribution(-alpha);
  const double most = type == poplar::HALF ? 65504.0 : std::numeric_limits<float>::max();
  const double low = whole ? -most : mean - alpha * stdDev,
               high = whole ? most : mean + alpha * stdDev;
  return drawn(
      graph, function, "Normal", type, reference, drawing,
      [&](Graph &g, poplar::VertexRef v) {
        g.setInitialValue(v["mean"], static_cast<float>(mean));
        g.setInitialValue(v["deviation"], static_cast<float>(stdDev));
        setLimits(g, v, type, low, high);
        g.setInitialValue(v["quantile"], static_cast<float>(first));
        g.setInitialValue(v["proportion"], static_cast<float>(1 - 2 * first));
      },
      prog, debugContext);
}

} // namespace

Tensor uniform(Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
               const Tensor &reference, const Type &outType, double minVal, double maxVal,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  const char *const function = "uniform";
  checkType(function, outType, true);
  require(function, minVal <= maxVal,
          "the smallest value " + std::to_string(minVal) + " is above the largest " +
              std::to_string(maxVal));
  if (outType != poplar::INT)
    return drawn(
        graph, function, "Uniform", outType, reference, {seed, seedModifier, 8},
        [&](Graph &g, poplar::VertexRef v) { setLimits(g, v, outType, minVal, maxVal); }, prog,
        debugContext);
  const double low = std::ceil(minVal), high = std::floor(maxVal);
  require(function,
          low >= std::numeric_limits<int>::min() && high <= std::numeric_limits<int>::max(),
          "the range from " + std::to_string(minVal) + " to " + std::to_string(maxVal) +
              " does not fit INT");
  require(function, low <= high,
          "there is no integer from " + std::to_string(minVal) + " to " + std::to_string(maxVal));
  const auto values = static_cast<std::uint64_t>(high - low) + 1;
  return drawn(
      graph, function, "UniformInteger", outType, reference, {seed, seedModifier, 16},
      [&](Graph &g, poplar::VertexRef v) {
        g.setInitialValue(v["low"], static_cast<int>(low));
        g.setInitialValue(v["range"], static_cast<unsigned>(values));
      },
      prog, debugContext);
}

Tensor logUniform(Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                  const Tensor &reference, const Type &outType, double minVal, double maxVal,
                  poplar::program::Sequence &prog, double base,
                  const poplar::DebugContext &debugContext) {
  const char *const function = "logUniform";
  checkType(function, outType, true);
  require(function, minVal >= 1, "the smallest value " + std::to_string(minVal) + " is below 1");
  require(function, maxVal > minVal,
          "the largest value " + std::to_string(maxVal) + " is not above the smallest " +
              std::to_string(minVal));
  require(function, base > 0 && base != 1,
          "the base " + std::to_string(base) + " must be positive and not 1");
  if (outType == poplar::INT) {
    require(function, isWhole(minVal) && isWhole(maxVal), "for INT, the bounds must be integers");
    require(function, maxVal <= std::numeric_limits<int>::max(),
            "the largest value " + std::to_string(maxVal) + " does not fit INT");
  } else {
    require(function, leastNotBelow(outType, minVal) <= greatestNotAbove(outType, maxVal),
            "no value from " + std::to_string(minVal) + " to " + std::to_string(maxVal) +
                " can be represented by " + outType.toString());
  }
  return drawn(
      graph, function, "LogUniform", outType, reference, {seed, seedModifier, 24},
      [&](Graph &g, poplar::VertexRef v) {
        setLimits(g, v, outType, minVal, maxVal);
        g.setInitialValue(v["lowLog"], static_cast<float>(std::log(minVal)));
        g.setInitialValue(v["highLog"], static_cast<float>(std::log(maxVal)));
      },
      prog, debugContext);
}

Tensor bernoulli(Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                 const Tensor &reference, const Type &outType, double prob,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  checkType("bernoulli", outType, true);
  require("bernoulli", prob >= 0 && prob <= 1,
          "the probability " + std::to_string(prob) + " is not from 0 to 1");
  return drawn(
      graph, "bernoulli", "Bernoulli", outType, reference, {seed, seedModifier, 6},
      [&](Graph &g, poplar::VertexRef v) {
        g.setInitialValue(v["ones"], static_cast<unsigned>(std::lround(prob * 65536)));
      },
      prog, debugContext);
}

Tensor normal(Graph &graph, const Tensor *seed, std::uint32_t seedModifier, const Tensor &reference,
              const Type &outType, double mean, double stdDev, poplar::program::Sequence &prog,
              const poplar::DebugContext &debugContext) {
  return drawNormal(graph, "normal", outType, reference, {seed, seedModifier, 8}, mean, stdDev,
                    std::numeric_limits<double>::infinity(), prog, debugContext);
}

Tensor truncatedNormal(Graph &graph, const Tensor *seed, std::uint32_t seedModifier,
                       const Tensor &reference, const Type &outType, double mean, double stdDev,
                       double alpha, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext) {
  require("truncatedNormal", alpha > 0 && stdDev >= 0,
          "alpha must be positive and the deviation not negative");
  return drawNormal(graph, "truncatedNormal", outType, reference, {seed, seedModifier, 24}, mean,
                    stdDev, alpha, prog, debugContext);
}

} // namespace poprand
