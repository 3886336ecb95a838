#include "popops/Fill.hpp"

#include "popops/Zero.hpp"
#include "poputil/VertexTemplates.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/tile_shares.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>
#include <limits>
#include <poplar/IeeeHalf.hpp>

using copse::tile_work::TileShare;
using poplar::ComputeSet;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;

namespace popops {
namespace {

constexpr unsigned kBytesPerStore = 8;

/// Sets a field to the value in the device's format; an integer that is too large wraps round.
template <typename Value>
void setValue(Graph &graph, poplar::FieldRef field, const poplar::Type &type, Value value) {
  if (type == poplar::FLOAT || type == poplar::HALF)
    graph.setInitialValue(field, static_cast<float>(value));
  else if (type == poplar::BOOL)
    graph.setInitialValue(field, value != Value{});
  else if (type == poplar::INT)
    graph.setInitialValue(field, static_cast<int>(value));
  else if (type == poplar::UNSIGNED_INT)
    graph.setInitialValue(field, static_cast<unsigned>(value));
  else if (type == poplar::SHORT)
    graph.setInitialValue(field, static_cast<short>(value));
  else if (type == poplar::UNSIGNED_SHORT)
    graph.setInitialValue(field, static_cast<unsigned short>(value));
  else if (type == poplar::UNSIGNED_CHAR)
    graph.setInitialValue(field, static_cast<unsigned char>(value));
  else
    graph.setInitialValue(field, static_cast<signed char>(value));
}

template <typename Value>
void addVertex(Graph &graph, const Tensor &elements, unsigned tile, ComputeSet cs, Value value) {
  const poplar::Type type = elements.elementType();
  const std::string vertexType = poputil::templateVertex("popops::Fill", type);
  copse::tile_work::addCodeletGroup(graph, "popops", "fill", vertexType);
  const poplar::VertexRef v = graph.addVertex(cs, vertexType, {{"out", elements}});
  setValue(graph, v["value"], type, value);
  graph.setTileMapping(v, tile);

  const poplar::Target &target = graph.getTarget();
  const std::uint64_t perStore =
      std::max<std::uint64_t>(1, kBytesPerStore / target.getTypeSize(type));
  const auto share = copse::tile_work::largestWorkerShare(target, elements.numElements(), perStore);
  graph.setPerfEstimate(v, copse::tile_work::workerCycles(
                               target, copse::tile_work::kVertexInstructions + share / perStore));
}

} // namespace

template <typename FillValueType>
void fill(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions, unsigned tile,
          ComputeSet fillCS, FillValueType fillValue) {
  const Tensor flat = t.flatten();
  std::vector<Tensor> parts;
  for (const Interval &region : tileRegions)
    if (region.size() != 0)
      parts.push_back(flat.slice(region));
  if (!parts.empty())
    addVertex(graph, poplar::concat(parts), tile, fillCS, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, unsigned tile, ComputeSet fillCS,
          FillValueType fillValue) {
  fill(graph, t.flatten(), graph.getTileMapping(t)[tile], tile, fillCS, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, const std::vector<std::vector<Interval>> &mapping,
          ComputeSet fillCS, FillValueType fillValue) {
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    fill(graph, t, mapping[tile], tile, fillCS, fillValue);
}

template <typename FillValueType>
void fill(Graph &graph, const Tensor &t, poplar::program::Sequence &prog, FillValueType fillValue,
          const poplar::DebugContext &debugContext) {
  const ComputeSet cs = graph.addComputeSet({debugContext, "Fill"});
  for (const TileShare &share : copse::tile_work::sharesByTile(graph, {t}))
    addVertex(graph, share.views.front(), share.tile, cs, fillValue);
  prog.add(poplar::program::Execute(cs, debugContext));
}

#define POPOPS_FILL(Value)                                                                         \
  template void fill(Graph &, Tensor, const std::vector<Interval> &, unsigned, ComputeSet, Value); \
  template void fill(Graph &, const Tensor &, unsigned, ComputeSet, Value);                        \
  template void fill(Graph &, const Tensor &, const std::vector<std::vector<Interval>> &,          \
                     ComputeSet, Value);                                                           \
  template void fill(Graph &, const Tensor &, poplar::program::Sequence &, Value,                  \
                     const poplar::DebugContext &);
POPOPS_FILL(float)
POPOPS_FILL(int)
POPOPS_FILL(unsigned)
#undef POPOPS_FILL

void zero(Graph &graph, Tensor t, const std::vector<Interval> &tileRegions, unsigned tile,
          ComputeSet zeroCS) {
  fill(graph, std::move(t), tileRegions, tile, zeroCS, 0u);
}
void zero(Graph &graph, const Tensor &t, unsigned tile, ComputeSet zeroCS) {
  fill(graph, t, tile, zeroCS, 0u);
}
void zero(Graph &graph, const Tensor &t, const std::vector<std::vector<Interval>> &mapping,
          ComputeSet zeroCS) {
  fill(graph, t, mapping, zeroCS, 0u);
}
void zero(Graph &graph, const Tensor &t, poplar::program::Sequence &prog,
          const poplar::DebugContext &debugContext) {
  fill(graph, t, prog, 0u, debugContext);
}

} // namespace popops
