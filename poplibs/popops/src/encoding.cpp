#include "popops/Encoding.hpp"

#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {
namespace {

/// Estimates a store for every two elements.
void estimate(Graph &graph, poplar::VertexRef v, std::size_t elements,
              std::uint64_t instructionsPerElement) {
  const poplar::Target &target = graph.getTarget();
  const auto share = copse::tile_work::largestWorkerShare(target, elements, 2);
  graph.setPerfEstimate(
      v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions +
                                                    share * instructionsPerElement));
}

template <typename T>
void addIota(Graph &graph, const Tensor &t, T start, const Type &type, Sequence &prog,
             const DebugContext &debugContext) {
  if (t.rank() > 1 || t.elementType() != type)
    throw poplibs_error("iota: a tensor of shape " + t.shapeToString() + " and type " +
                        t.elementType().toString().cloneAsString() +
                        "; its rank must be 1, its type " + type.toString().cloneAsString());
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Iota"});
  const std::string vertexType = poputil::templateVertex("popops::Iota", type);
  copse::tile_work::addCodeletGroup(graph, "popops", "encoding", vertexType);
  const Tensor flat = t.flatten();
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &region : mapping[tile]) {
      const poplar::VertexRef v = graph.addVertex(cs, vertexType, {{"out", flat.slice(region)}});
      graph.setInitialValue(v["start"], static_cast<T>(static_cast<unsigned>(start) +
                                                       static_cast<unsigned>(region.begin())));
      graph.setTileMapping(v, tile);
      estimate(graph, v, region.size(), 1);
    }
  prog.add(poplar::program::Execute(cs, debugContext));
}

Tensor constant(Graph &graph, const Type &type, int value, const DebugContext &debugContext) {
  const Tensor t = graph.addConstant(type, {}, value, debugContext);
  graph.setTileMapping(t, 0);
  return t;
}

void checkOneHot(const Tensor &indices, const Tensor &encoded, const Tensor &on,
                 const Tensor &off) {
  if (indices.rank() != 1 || encoded.rank() != 2)
    throw poplibs_error("encodeOneHot: indices of shape " + indices.shapeToString() +
                        " and an output of shape " + encoded.shapeToString() +
                        "; ranks must be 1 and 2");
  if (indices.dim(0) != encoded.dim(0))
    throw poplibs_error("encodeOneHot: " + std::to_string(indices.dim(0)) + " indices for " +
                        std::to_string(encoded.dim(0)) + " rows");
  if (indices.elementType() != poplar::UNSIGNED_INT && indices.elementType() != poplar::INT)
    throw poplibs_error("encodeOneHot: indices of type " +
                        indices.elementType().toString().cloneAsString() +
                        "; they are INT or UNSIGNED_INT");
  const Type type = encoded.elementType();
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poplibs_error("encodeOneHot: not for elements of type " +
                        type.toString().cloneAsString());
  for (const Tensor *value : {&on, &off})
    if (value->elementType() != type || value->numElements() != 1)
      throw poplibs_error("encodeOneHot: on and off are one element of type " +
                          type.toString().cloneAsString() + " each, not of shape " +
                          value->shapeToString() + " and type " +
                          value->elementType().toString().cloneAsString());
}

} // namespace

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded, Sequence &prog,
                  const Tensor &on, const Tensor &off, const DebugContext &debugContext) {
  checkOneHot(indices, encoded, on, off);
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "EncodeOneHot"});
  const std::string vertexType =
      poputil::templateVertex("popops::EncodeOneHot", encoded.elementType());
  copse::tile_work::addCodeletGroup(graph, "popops", "encoding", vertexType);
  const Tensor rows = indices.reinterpret(poplar::UNSIGNED_INT), flat = encoded.flatten();
  const std::size_t columns = encoded.dim(1);
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &region : mapping[tile]) {
      const std::size_t first = region.begin() / columns, last = (region.end() - 1) / columns;
      const poplar::VertexRef v = graph.addVertex(cs, vertexType,
                                                  {{"indices", rows.slice(first, last + 1)},
                                                   {"out", flat.slice(region)},
                                                   {"on", on.reshape({})},
                                                   {"off", off.reshape({})}});
      graph.setInitialValue(v["start"], static_cast<unsigned>(region.begin() % columns));
      graph.setInitialValue(v["columns"], static_cast<unsigned>(columns));
      graph.setTileMapping(v, tile);
      estimate(graph, v, region.size(), 1);
    }
  prog.add(poplar::program::Execute(cs, debugContext));
}

void encodeOneHot(Graph &graph, const Tensor &indices, const Tensor &encoded, Sequence &prog,
                  const DebugContext &debugContext) {
  const Type type = encoded.elementType();
  encodeOneHot(graph, indices, encoded, prog, constant(graph, type, 1, debugContext),
               constant(graph, type, 0, debugContext), debugContext);
}

void iota(Graph &graph, const Tensor &t, unsigned startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  addIota(graph, t, startInteger, poplar::UNSIGNED_INT, prog, debugContext);
}
void iota(Graph &graph, const Tensor &t, int startInteger, Sequence &prog,
          const DebugContext &debugContext) {
  addIota(graph, t, startInteger, poplar::INT, prog, debugContext);
}

} // namespace popops
