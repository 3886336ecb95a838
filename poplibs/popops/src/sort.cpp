#include "popops/Sort.hpp"

#include "popops/ElementWise.hpp"
#include "popops/Encoding.hpp"
#include "popops/Gather.hpp"
#include "popops/TopK.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <ostream>

using poplar::DebugContext;
using poplar::Graph;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Copy;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {
namespace {

bool isSortable(const Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF || type == poplar::INT ||
         type == poplar::UNSIGNED_INT;
}

void checkType(const char *function, const Tensor &t) {
  if (!isSortable(t.elementType()))
    throw poplibs_error(std::string(function) + ": not for elements of type " +
                        t.elementType().toString().cloneAsString());
}

/// Rows to sort, each on one tile: [rows, length].
Tensor rowsOn(Graph &graph, const Tensor &like, const Type &type, const char *name,
              const DebugContext &debugContext) {
  const Tensor rows = graph.addVariable(type, like.shape(), {debugContext, name});
  const auto length = static_cast<unsigned>(like.dim(1));
  poputil::mapTensorLinearly(graph, rows, length, length);
  return rows;
}

/// Counts a comparison, and a swap of two elements, for each level of a heap.
std::uint64_t instructionsToSort(std::size_t n) {
  return static_cast<std::uint64_t>(12.0 * static_cast<double>(n) *
                                    std::max(1.0, std::log2(static_cast<double>(n))));
}

void sortRows(Graph &graph, const Tensor &keys, const std::optional<Tensor> &values,
              bool descending, Sequence &prog, const DebugContext &debugContext) {
  const poplar::ComputeSet cs = graph.addComputeSet({debugContext, "Sort"});
  const std::string vertexType =
      values ? poputil::templateVertex("popops::SortRowsWithValues", keys.elementType(),
                                       values->elementType())
             : poputil::templateVertex("popops::SortRows", keys.elementType());
  copse::tile_work::addCodeletGroup(graph, "popops", "sort", vertexType);
  const poplar::Target &target = graph.getTarget();
  const std::size_t length = keys.dim(1);
  const auto mapping = graph.getTileMapping(keys.flatten());
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    const poplar::Interval region = mapping[tile].front();
    const poplar::VertexRef v =
        graph.addVertex(cs, vertexType, {{"keys", keys.flatten().slice(region)}});
    if (values)
      graph.connect(v["values"], values->flatten().slice(region));
    graph.setInitialValue(v["length"], static_cast<unsigned>(length));
    graph.setInitialValue(v["descending"], descending);
    graph.setTileMapping(v, tile);
    const auto rows = copse::tile_work::largestWorkerShare(target, region.size() / length, 1);
    graph.setPerfEstimate(
        v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions +
                                                      rows * instructionsToSort(length)));
  }
  prog.add(poplar::program::Execute(cs, debugContext));
}

/// Returns [rows, length], the sorted dimension last.
Tensor asRows(const Tensor &t, unsigned dim) {
  const Tensor last = t.dimRoll(dim, t.rank() - 1);
  return last.reshape({last.numElements() / std::max<std::size_t>(1, t.dim(dim)), t.dim(dim)});
}
Tensor fromRows(const Tensor &rows, const Tensor &like, unsigned dim) {
  return rows.reshape(like.dimRoll(dim, like.rank() - 1).shape()).dimRoll(like.rank() - 1, dim);
}

void checkDim(const Tensor &t, unsigned dim) {
  if (dim >= t.rank())
    throw poplibs_error("sort: there is no dimension " + std::to_string(dim) + " in shape " +
                        t.shapeToString());
}

void checkPair(const Tensor &k, const Tensor &v, unsigned dim) {
  checkDim(k, dim);
  checkType("sort", k);
  checkType("sort", v);
  if (k.shape() != v.shape())
    throw poplibs_error("sort: keys of shape " + k.shapeToString() + " and values of shape " +
                        v.shapeToString());
  if (k.intersectsWith(v))
    throw poplibs_error("sort: keys and values have elements in common");
}

/// Returns sorted copies, as rows.
std::pair<Tensor, Tensor> sortedPairs(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim,
                                      Sequence &prog, const DebugContext &debugContext) {
  const Tensor from = asRows(k, dim);
  const Tensor keys = rowsOn(graph, from, k.elementType(), "keys", debugContext);
  const Tensor values = rowsOn(graph, from, v.elementType(), "values", debugContext);
  prog.add(Copy(from, keys, false, debugContext));
  prog.add(Copy(asRows(v, dim), values, false, debugContext));
  sortRows(graph, keys, values, false, prog, debugContext);
  return {keys, values};
}

Tensor sortedKeys(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
                  const DebugContext &debugContext) {
  checkDim(t, dim);
  checkType("sort", t);
  const Tensor from = asRows(t, dim);
  const Tensor keys = rowsOn(graph, from, t.elementType(), "keys", debugContext);
  prog.add(Copy(from, keys, false, debugContext));
  sortRows(graph, keys, {}, false, prog, debugContext);
  return keys;
}

void checkTopK(const Tensor &t, const TopKParams &params) {
  checkType("topK", t);
  if (t.rank() == 0 || params.k > t.dim(t.rank() - 1))
    throw poplibs_error("topK: k is " + std::to_string(params.k) +
                        ", more than the last dimension of shape " + t.shapeToString() + " has");
}

/// Returns true if the requested order of the result is the reverse of the selection's order, which
/// takes the wanted keys first.
bool isReversed(const TopKParams &params) {
  return params.sortOrder == (params.largest ? SortOrder::ASCENDING : SortOrder::DESCENDING);
}

Tensor shapedLike(const Tensor &rows, const Tensor &like) {
  auto shape = like.shape();
  shape.back() = rows.dim(1);
  return rows.reshape(shape);
}

/// Returns the first k elements of each row, in the requested order. \p rows are sorted so that the
/// wanted elements come first.
Tensor firstOf(const Tensor &rows, const Tensor &like, const TopKParams &params) {
  const Tensor top = rows.slice(0, params.k, 1);
  return shapedLike(isReversed(params) ? top.reverse(1) : top, like);
}

/// Sorts keys and their positions. Reversed, equal keys would come in the wrong order: for a
/// stable result, keys in the other order are sorted once more.
std::pair<Tensor, Tensor> firstPairs(Graph &graph, const Tensor &keys, const Tensor &positions,
                                     const Tensor &like, const TopKParams &params, Sequence &prog,
                                     const DebugContext &debugContext) {
  if (!params.stableSort || !isReversed(params) || keys.dim(0) == 0 || params.k == 0)
    return {firstOf(keys, like, params), firstOf(positions, like, params)};
  const Tensor top = keys.slice(0, params.k, 1), at = positions.slice(0, params.k, 1);
  const Tensor k = rowsOn(graph, top, keys.elementType(), "keys", debugContext);
  const Tensor v = rowsOn(graph, at, positions.elementType(), "indices", debugContext);
  prog.add(Copy(top, k, false, debugContext));
  prog.add(Copy(at, v, false, debugContext));
  sortRows(graph, k, v, !params.largest, prog, debugContext);
  return {shapedLike(k, like), shapedLike(v, like)};
}

/// Returns the elements of each row of \p values at \p positions, a result of
/// topKWithPermutation().
Tensor valuesAt(Graph &graph, const Tensor &values, const Tensor &positions, Sequence &prog,
                const DebugContext &debugContext) {
  const Tensor from = asRows(values, values.rank() - 1);
  const Tensor at = asRows(positions, positions.rank() - 1);
  std::vector<unsigned> begins(from.dim(0));
  for (std::size_t row = 0; row != begins.size(); ++row)
    begins[row] = static_cast<unsigned>(row * from.dim(1));
  const Tensor rowBegins = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, {begins.size(), 1},
                                                       begins, {debugContext, "rows"});
  graph.setTileMapping(rowBegins, 0);
  const Tensor indices = add(graph, at, rowBegins, prog, {debugContext, "indices"});
  return gather(graph, from.flatten(), indices, 0, prog, GatherParams(), debugContext)
      .reshape(positions.shape());
}

} // namespace

std::ostream &operator<<(std::ostream &out, SortOrder order) {
  return out << (order == SortOrder::NONE        ? "NONE"
                 : order == SortOrder::ASCENDING ? "ASCENDING"
                                                 : "DESCENDING");
}
std::ostream &operator<<(std::ostream &out, const TopKParams &params) {
  return out << "{k=" << params.k << ", largest=" << (params.largest ? "true" : "false")
             << ", sortOrder=" << params.sortOrder
             << ", stableSort=" << (params.stableSort ? "true" : "false") << "}";
}

Tensor sort(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
            const DebugContext &debugContext) {
  return fromRows(sortedKeys(graph, t, dim, prog, debugContext), t, dim);
}
void sortInPlace(Graph &graph, const Tensor &t, unsigned dim, Sequence &prog,
                 const DebugContext &debugContext) {
  prog.add(Copy(sort(graph, t, dim, prog, debugContext), t, false, debugContext));
}
Tensor sortKeyValue(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim, Sequence &prog,
                    const DebugContext &debugContext) {
  checkPair(k, v, dim);
  return fromRows(sortedPairs(graph, k, v, dim, prog, debugContext).second, v, dim);
}
void sortKeyValueInPlace(Graph &graph, const Tensor &k, const Tensor &v, unsigned dim,
                         Sequence &prog, const DebugContext &debugContext) {
  checkPair(k, v, dim);
  const auto sorted = sortedPairs(graph, k, v, dim, prog, debugContext);
  prog.add(Copy(fromRows(sorted.first, k, dim), k, false, debugContext));
  prog.add(Copy(fromRows(sorted.second, v, dim), v, false, debugContext));
}

Tensor createTopKInput(Graph &graph, const Type &type, const std::vector<std::size_t> &shape,
                       const TopKParams &, const DebugContext &debugContext) {
  const Tensor t = graph.addVariable(type, shape, debugContext);
  const auto length = static_cast<unsigned>(shape.empty() ? 1 : shape.back());
  poputil::mapTensorLinearly(graph, t, length, std::max(1u, length));
  return t;
}

Tensor topK(Graph &graph, Sequence &prog, const Tensor &t, const TopKParams &params,
            const DebugContext &debugContext) {
  checkTopK(t, params);
  const Tensor from = asRows(t, t.rank() - 1);
  const Tensor keys = rowsOn(graph, from, t.elementType(), "keys", debugContext);
  prog.add(Copy(from, keys, false, debugContext));
  sortRows(graph, keys, {}, params.largest, prog, debugContext);
  return firstOf(keys, t, params);
}

std::pair<Tensor, Tensor> topKKeyValue(Graph &graph, Sequence &prog, const Tensor &keys,
                                       const Tensor &values, const TopKParams &params,
                                       const DebugContext &debugContext) {
  checkTopK(keys, params);
  checkType("topK", values);
  if (keys.shape() != values.shape())
    throw poplibs_error("topK: keys of shape " + keys.shapeToString() + " and values of shape " +
                        values.shapeToString());
  if (params.stableSort) {
    const auto top = topKWithPermutation(graph, prog, keys, params, debugContext);
    return {top.first, valuesAt(graph, values, top.second, prog, debugContext)};
  }
  const Tensor from = asRows(keys, keys.rank() - 1);
  const Tensor k = rowsOn(graph, from, keys.elementType(), "keys", debugContext);
  const Tensor v = rowsOn(graph, from, values.elementType(), "values", debugContext);
  prog.add(Copy(from, k, false, debugContext));
  prog.add(Copy(asRows(values, values.rank() - 1), v, false, debugContext));
  sortRows(graph, k, v, params.largest, prog, debugContext);
  return {firstOf(k, keys, params), firstOf(v, values, params)};
}

std::pair<Tensor, Tensor> topKWithPermutation(Graph &graph, Sequence &prog, const Tensor &t,
                                              const TopKParams &params,
                                              const DebugContext &debugContext) {
  checkTopK(t, params);
  const Tensor from = asRows(t, t.rank() - 1);
  const Tensor k = rowsOn(graph, from, t.elementType(), "keys", debugContext);
  const Tensor v = rowsOn(graph, from, poplar::UNSIGNED_INT, "indices", debugContext);
  prog.add(Copy(from, k, false, debugContext));
  // The indices of one row, which are broadcast to all rows.
  const Tensor positions =
      graph.addVariable(poplar::UNSIGNED_INT, {from.dim(1)}, {debugContext, "positions"});
  poputil::mapTensorLinearly(graph, positions);
  iota(graph, positions, 0u, prog, debugContext);
  prog.add(Copy(positions.expand({0}).broadcast(static_cast<unsigned>(from.dim(0)), 0), v, false,
                debugContext));
  sortRows(graph, k, v, params.largest, prog, debugContext);
  return firstPairs(graph, k, v, t, params, prog, debugContext);
}

} // namespace popops
