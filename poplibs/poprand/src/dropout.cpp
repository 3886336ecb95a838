#include "poprand/RandomGen.hpp"
#include "vertices.hpp"

#include <cmath>
#include <poputil/Broadcast.hpp>
#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/tile_shares.hpp>

namespace poprand {
namespace {

using poplar::Graph;
using poplar::Tensor;

void check(const char *function, const Tensor *seed, const Tensor &input, double keepProbability) {
  const auto fail = [function](const std::string &what) {
    throw poputil::poplibs_error(std::string(function) + ": " + what);
  };
  if (seed != nullptr)
    checkSeed(function, *seed);
  if (!(keepProbability >= 0 && keepProbability <= 1))
    fail("the probability " + std::to_string(keepProbability) + " is not from 0 to 1");
  if (input.elementType() != poplar::FLOAT && input.elementType() != poplar::HALF)
    fail("the input must be FLOAT or HALF, not " + input.elementType().toString());
}

/// Writes the result to \p out. Vertices are on the tiles of \p reference, whose mapping decides
/// which elements are dropped.
void drop(Graph &graph, const Drawing &drawing, const Tensor &input, const Tensor &reference,
          const Tensor &out, double keepProbability, double scale, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext) {
  const std::string vertex = poputil::templateVertex("poprand::Dropout", input.elementType());
  copse::tile_work::addCodeletGroup(graph, "poprand", "dropout", vertex);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "dropout"});
  for (const auto &share : copse::tile_work::sharesByTile(graph, {reference, input, out})) {
    const auto v = graph.addVertex(cs, vertex, {{"in", share.views[1]}, {"out", share.views[2]}});
    graph.setInitialValue(v["kept"], static_cast<unsigned>(std::lround(keepProbability * 65536)));
    graph.setInitialValue(v["scale"], static_cast<float>(scale));
    connectDrawing(graph, v, drawing, share.tile, share.views[2].numElements());
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "dropout"}));
}

} // namespace

Tensor dropout(Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
               const Tensor &input, const Tensor &reference, double keepProbability, double scale,
               bool outputClonesRef, poplar::program::Sequence &prog,
               const poplar::DebugContext &debugContext) {
  check("dropout", seed, input, keepProbability);
  if (input.shape() != reference.shape())
    throw poputil::poplibs_error("dropout: the input has shape " + input.shapeToString() +
                                 ", the reference " + reference.shapeToString());
  const Tensor out = graph.clone(input.elementType(), outputClonesRef ? reference : input,
                                 {debugContext, "dropout"});
  if (keepProbability == 1)
    prog.add(poplar::program::Copy(input, out, false, {debugContext, "dropout"}));
  else
    drop(graph, {seed, seedModifier, 8}, input, reference, out, keepProbability, scale, prog,
         debugContext);
  return out;
}

Tensor dropout(Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
               const Tensor &input, const Tensor &reference, double keepProbability, double scale,
               poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  return dropout(graph, seed, seedModifier, input, reference, keepProbability, scale, true, prog,
                 debugContext);
}

Tensor shapedDropout(Graph &graph, const Tensor *seed, const std::uint32_t seedModifier,
                     const Tensor &input, const Tensor &reference, double keepProbability,
                     double scale, poplar::program::Sequence &prog,
                     const poplar::DebugContext &debugContext) {
  check("shapedDropout", seed, input, keepProbability);
  const Tensor out = graph.clone(input, {debugContext, "shapedDropout"});
  if (keepProbability == 1) {
    prog.add(poplar::program::Copy(input, out, false, {debugContext, "shapedDropout"}));
    return out;
  }
  // Every element of the reference keeps or drops a factor, and the factors are broadcast.
  const Tensor factors = graph.clone(input.elementType(), reference, {debugContext, "factors"});
  const Tensor one = graph.addConstant(input.elementType(), {1}, 1.0f, {debugContext, "one"});
  graph.setTileMapping(one, 0);
  drop(graph, {seed, seedModifier, 8},
       one.broadcast(static_cast<unsigned>(reference.numElements()), 0).reshape(reference.shape()),
       reference, factors, keepProbability, scale, prog, debugContext);
  Tensor wide = factors;
  Tensor like = input;
  poputil::broadcastToMatch(wide, like.shape());
  const std::string vertex = poputil::templateVertex("poprand::Scale", input.elementType());
  copse::tile_work::addCodeletGroup(graph, "poprand", "dropout", vertex);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "shapedDropout"});
  for (const auto &share : copse::tile_work::sharesByTile(graph, {input, wide, out})) {
    const auto v = graph.addVertex(
        cs, vertex, {{"in", share.views[0]}, {"factors", share.views[1]}, {"out", share.views[2]}});
    graph.setTileMapping(v, share.tile);
    graph.setPerfEstimate(v, 100 + 3 * share.views[0].numElements());
  }
  prog.add(poplar::program::Execute(cs, {debugContext, "shapedDropout"}));
  return out;
}

} // namespace poprand
