#include "popops/Rearrange.hpp"

#include "poputil/TileMapping.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/element_bits.hpp"
#include "tile_work/worker_cycles.hpp"

#include <numeric>
#include <optional>

namespace popops {
namespace rearrange {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::GroupingInfo;
using poputil::poplibs_error;

namespace {

void checkGrouping(const Tensor &t, const GroupingInfo &grouping) {
  const auto [dimension, size] = grouping;
  if (dimension >= t.rank() || size == 0 || t.dim(dimension) % size != 0)
    throw poplibs_error("regroupTensor: groups of " + std::to_string(size) + " in dimension " +
                        std::to_string(dimension) + " of shape " + t.shapeToString() +
                        "; the dimension must exist, and be a multiple of the group");
}

/// Adds a variable like \p t with another order of memory, spread over all tiles.
Tensor grouped(Graph &graph, const Tensor &t, const GroupingInfo &to,
               const DebugContext &debugContext) {
  const auto [dimension, size] = to;
  std::vector<std::size_t> shape = t.shape();
  shape[dimension] /= size;
  shape.push_back(size);
  const Tensor inMemory = graph.addVariable(t.elementType(), shape, {debugContext, "regrouped"});
  poputil::mapTensorLinearly(graph, inMemory, size, size);
  return inMemory.dimRoll(t.rank(), dimension + 1).flatten(dimension, dimension + 2);
}

/// Returns the grouping that \p in needs to be grouped like \p ref; nothing if \p in need not be
/// rearranged.
std::optional<GroupingInfo> groupingLike(const Graph &graph, const Tensor &in, const Tensor &ref) {
  if (in.rank() != ref.rank())
    throw poplibs_error("regroupIfBeneficial: a tensor of shape " + in.shapeToString() +
                        " and one of shape " + ref.shapeToString() + "; their ranks must be equal");
  const auto own = poputil::detectDimGroupings(graph, in),
             wanted = poputil::detectDimGroupings(graph, ref);
  if (wanted.empty() || (!own.empty() && own.front().first == wanted.front().first))
    return std::nullopt;
  const unsigned dimension = wanted.front().first;
  const auto size = static_cast<unsigned>(
      std::gcd<std::size_t, std::size_t>(wanted.front().second, in.dim(dimension)));
  if (size * graph.getTarget().getTypeSize(in.elementType()) < 8)
    return std::nullopt;
  return GroupingInfo(dimension, size);
}

/// Elements of a type without an arithmetic of their own here.
Type bitsOf(const Graph &graph, const Type &type) {
  if (const auto bits = copse::tile_work::elementBits(graph, type))
    return *bits;
  throw poplibs_error("partialTranspose: not for elements of type " +
                      type.toString().cloneAsString());
}

} // namespace

Tensor regroupTensor(Graph &graph, const Tensor &t, std::vector<Copy> &copies, const ComputeSet &,
                     const GroupingInfo &from, const GroupingInfo &to,
                     const DebugContext &debugContext) {
  checkGrouping(t, from);
  checkGrouping(t, to);
  const Tensor out = grouped(graph, t, to, debugContext);
  copies.emplace_back(t, out, false, debugContext);
  return out;
}
Tensor regroupTensor(Graph &graph, const Tensor &t, Sequence &copies, const ComputeSet &transposeCS,
                     const GroupingInfo &from, const GroupingInfo &to,
                     const DebugContext &debugContext) {
  std::vector<Copy> list;
  const Tensor out = regroupTensor(graph, t, list, transposeCS, from, to, debugContext);
  for (const Copy &copy : list)
    copies.add(copy);
  return out;
}

Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref,
                           std::vector<Copy> &copies, ComputeSet,
                           const DebugContext &debugContext) {
  const auto to = groupingLike(graph, in, ref);
  if (!to)
    return in;
  const Tensor out = grouped(graph, in, *to, debugContext);
  copies.emplace_back(in, out, false, debugContext);
  return out;
}
Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, const Tensor &ref, Sequence &prog,
                           const DebugContext &debugContext) {
  const auto to = groupingLike(graph, in, ref);
  if (!to)
    return in;
  const Tensor out = grouped(graph, in, *to, debugContext);
  prog.add(Copy(in, out, false, debugContext));
  return out;
}
Tensor regroupIfBeneficial(Graph &graph, const Tensor &in, std::size_t preferredGrouping,
                           Sequence &prog, const DebugContext &debugContext) {
  const unsigned last = in.rank() == 0 ? 0 : in.rank() - 1;
  if (in.rank() == 0 || preferredGrouping == 0 || in.dim(last) % preferredGrouping != 0 ||
      poputil::detectInnermostGrouping(graph, in) % preferredGrouping == 0)
    return in;
  const Tensor out =
      grouped(graph, in, {last, static_cast<unsigned>(preferredGrouping)}, debugContext);
  prog.add(Copy(in, out, false, debugContext));
  return out;
}

Tensor partialTranspose(Graph &graph, const Tensor &in, const ComputeSet &cs,
                        const DebugContext &debugContext) {
  if (in.rank() < 2)
    throw poplibs_error("partialTranspose: a tensor of shape " + in.shapeToString() +
                        "; it must have two dimensions at least");
  const std::size_t rows = in.dim(in.rank() - 2), columns = in.dim(in.rank() - 1);
  std::vector<std::size_t> shape = in.shape();
  std::swap(shape[in.rank() - 2], shape[in.rank() - 1]);
  const Tensor out = graph.addVariable(in.elementType(), shape, {debugContext, "transposed"});
  if (in.numElements() == 0)
    return out;
  const Type bits = bitsOf(graph, in.elementType());
  const std::string vertex = poputil::templateVertex("popops::TransposeMatrix", bits);
  copse::tile_work::addCodeletGroup(graph, "popops", "transpose", vertex);
  const std::size_t perMatrix = rows * columns;
  const Tensor from = in.reshape({in.numElements() / perMatrix, perMatrix}),
               to = out.reshape(from.shape());
  const poplar::Target &target = graph.getTarget();
  for (std::size_t m = 0; m != from.dim(0); ++m) {
    const auto mapping = graph.getTileMapping(from[m].slice(0, 1));
    unsigned tile = 0;
    while (mapping[tile].empty())
      ++tile;
    graph.setTileMapping(to[m], tile);
    const poplar::VertexRef v = graph.addVertex(
        cs, vertex, {{"in", from[m].reinterpret(bits)}, {"out", to[m].reinterpret(bits)}});
    graph.setInitialValue(v["rows"], static_cast<unsigned>(rows));
    graph.setInitialValue(v["columns"], static_cast<unsigned>(columns));
    graph.setTileMapping(v, tile);
    // A load and a store for each element.
    const auto share = copse::tile_work::largestWorkerShare(target, columns, 1) * rows;
    graph.setPerfEstimate(v, copse::tile_work::workerCycles(
                                 target, copse::tile_work::kVertexInstructions + 2 * share));
  }
  return out;
}

} // namespace rearrange
} // namespace popops
