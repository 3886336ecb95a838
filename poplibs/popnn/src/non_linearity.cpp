#include "checks.hpp"
#include "popnn/NonLinearity.hpp"
#include "popnn/NonLinearityDefUtil.hpp"
#include "softmax.hpp"
#include "vertex_type.hpp"

#include <istream>
#include <ostream>
#include <poputil/Util.hpp>
#include <poputil/exceptions.hpp>
#include <tile_work/tile_shares.hpp>
#include <tile_work/worker_cycles.hpp>

namespace popnn {
namespace {

using poplar::ComputeSet;
using poplar::Graph;
using poplar::Tensor;
using Kind = NonLinearityType;

struct Word {
  Kind type;
  const char *read, *printed;
};
const Word kWords[] = {
    {Kind::RELU, "relu", "relu"},
    {Kind::SIGMOID, "sigmoid", "sigmoid"},
    {Kind::HARD_SIGMOID, "hard_sigmoid", "hard sigmoid"},
    {Kind::TANH, "tanh", "tanh"},
    {Kind::GELU, "gelu", "gelu"},
    {Kind::SWISH, "swish", "swish"},
    {Kind::SOFTMAX, "softmax", "softmax"},
    {Kind::SOFTMAX_STABLE, "softmax_stable", "softmax (stable)"},
    {Kind::SOFTMAX_SCALED, "softmax_scaled", "softmax (scaled, stable)"},
};

/// Instructions of a worker for two elements: a load, the function's own instructions, a store.
std::uint64_t instructionsFor(Kind kind) {
  switch (kind) {
  case Kind::RELU:
    return 2;
  case Kind::HARD_SIGMOID:
    return 4;
  case Kind::TANH:
  case Kind::SIGMOID:
    return 4;
  default:
    return 10;
  }
}

void finish(Graph &graph, poplar::VertexRef v, Kind kind, unsigned tile, std::size_t elements) {
  using namespace copse::tile_work;
  graph.setInitialValue(v["kind"], static_cast<unsigned>(kind));
  graph.setTileMapping(v, tile);
  const auto share = largestWorkerShare(graph.getTarget(), elements, 8);
  graph.setPerfEstimate(
      v, workerCycles(graph.getTarget(), kVertexInstructions + share / 2 * instructionsFor(kind)));
}

void addInPlace(Graph &graph, Kind kind, const Tensor &t, ComputeSet cs) {
  const char *const function = "nonLinearityInPlace";
  requireFloatingPoint(function, t);
  require(function, t.isParallelWriteable(),
          "the tensor has constants or an element twice and cannot be changed in place");
  require(function, !isSoftmax(kind), "softmax takes more than one compute set");
  const std::string vertex =
      vertexType(graph, "non_linearity", "popnn::NonLinearityInPlace", t.elementType());
  for (const auto &share : copse::tile_work::sharesByTile(graph, {t})) {
    const auto v = graph.addVertex(cs, vertex, {{"data", share.views[0]}});
    finish(graph, v, kind, share.tile, share.views[0].numElements());
  }
}

Tensor addNew(Graph &graph, Kind kind, const Tensor &t, ComputeSet cs,
              const poplar::DebugContext &debugContext) {
  requireFloatingPoint("nonLinearity", t);
  const Tensor out = graph.clone(t, {debugContext, asString(kind)});
  const std::string vertex =
      vertexType(graph, "non_linearity", "popnn::NonLinearity", t.elementType());
  for (const auto &share : copse::tile_work::sharesByTile(graph, {out, t})) {
    const auto v = graph.addVertex(cs, vertex, {{"in", share.views[1]}, {"out", share.views[0]}});
    finish(graph, v, kind, share.tile, share.views[0].numElements());
  }
  return out;
}

float scalingOf(Kind kind) { return kind == Kind::SOFTMAX_SCALED ? kSoftmaxScaling : 1.0f; }

void checkGradient(const Tensor &act, const Tensor &outGradient) {
  const char *const function = "nonLinearityInputGradient";
  requireFloatingPoint(function, act);
  require(function, act.shape() == outGradient.shape(),
          "the activations have shape " + act.shapeToString() + ", the gradients " +
              outGradient.shapeToString());
  require(function, act.elementType() == outGradient.elementType(),
          "activations and gradients have different types");
}

} // namespace

const char *asString(const NonLinearityType &type) {
  for (const Word &word : kWords)
    if (word.type == type)
      return word.printed;
  throw poputil::poplibs_error("not a kind of non-linearity");
}

std::ostream &operator<<(std::ostream &os, const NonLinearityType &type) {
  return os << asString(type);
}

std::istream &operator>>(std::istream &in, NonLinearityType &type) {
  std::string text;
  in >> text;
  for (const Word &word : kWords)
    if (text == word.read) {
      type = word.type;
      return in;
    }
  throw poputil::poplibs_error("'" + text + "' is not a kind of non-linearity");
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  if (isSoftmax(type))
    return softmaxRowsInPlace(graph, type, t, prog, debugContext);
  const ComputeSet cs = graph.addComputeSet({debugContext, asString(type)});
  addInPlace(graph, type, t, cs);
  prog.add(poplar::program::Execute(cs, {debugContext, asString(type)}));
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, float &scaling,
                         poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext) {
  scaling = scalingOf(type);
  nonLinearityInPlace(graph, type, t, prog, debugContext);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, ComputeSet &cs,
                         const poplar::DebugContext &) {
  addInPlace(graph, type, t, cs);
}

void nonLinearityInPlace(Graph &graph, NonLinearityType type, Tensor t, float &scaling,
                         ComputeSet &cs, const poplar::DebugContext &) {
  scaling = scalingOf(type);
  addInPlace(graph, type, t, cs);
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, Tensor t, poplar::program::Sequence &prog,
                    const poplar::DebugContext &debugContext) {
  if (isSoftmax(type)) {
    requireFloatingPoint("nonLinearity", t);
    const Tensor out = poputil::duplicate(graph, t, prog, {debugContext, asString(type)});
    softmaxRowsInPlace(graph, type, out, prog, debugContext);
    return out;
  }
  const ComputeSet cs = graph.addComputeSet({debugContext, asString(type)});
  const Tensor out = addNew(graph, type, t, cs, debugContext);
  prog.add(poplar::program::Execute(cs, {debugContext, asString(type)}));
  return out;
}

Tensor nonLinearity(Graph &graph, NonLinearityType type, Tensor t, float &scaling,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  scaling = scalingOf(type);
  return nonLinearity(graph, type, t, prog, debugContext);
}

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type, Tensor act,
                                 Tensor outGradient, ComputeSet &cs,
                                 const poplar::DebugContext &debugContext) {
  checkGradient(act, outGradient);
  require("nonLinearityInputGradient", !isSoftmax(type), "softmax takes more than a compute set");
  const Tensor out = graph.clone(act, {debugContext, "inputGradient"});
  const std::string vertex =
      vertexType(graph, "non_linearity", "popnn::NonLinearityGradient", act.elementType());
  for (const auto &share : copse::tile_work::sharesByTile(graph, {out, act, outGradient})) {
    const auto v = graph.addVertex(
        cs, vertex,
        {{"act", share.views[1]}, {"outGradient", share.views[2]}, {"inGradient", share.views[0]}});
    finish(graph, v, type, share.tile, share.views[0].numElements());
  }
  return out;
}

Tensor nonLinearityInputGradient(Graph &graph, NonLinearityType type, Tensor act,
                                 Tensor outGradient, poplar::program::Sequence &prog,
                                 const poplar::DebugContext &debugContext) {
  checkGradient(act, outGradient);
  if (isSoftmax(type))
    return softmaxGradient(graph, act, outGradient, prog, debugContext);
  ComputeSet cs = graph.addComputeSet({debugContext, "inputGradient"});
  const Tensor out = nonLinearityInputGradient(graph, type, act, outGradient, cs, debugContext);
  prog.add(poplar::program::Execute(cs, {debugContext, "inputGradient"}));
  return out;
}

} // namespace popnn
