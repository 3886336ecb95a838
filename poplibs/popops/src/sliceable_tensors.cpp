#include "popops/DynamicSlice.hpp"
#include "poputil/TileMapping.hpp"
#include "poputil/Util.hpp"
#include "poputil/exceptions.hpp"
#include "slice_arguments.hpp"
#include "slice_plan.hpp"
#include "slice_table.hpp"

#include <algorithm>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poputil::poplibs_error;
using namespace copse::slices;

Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                             const Sizes &sizes, const SlicePlan &plan, const OptionFlags &options,
                             const DebugContext &debugContext) {
  const TableRoom room = roomFor(plan, options);
  checkSlice<poplibs_error>("createSliceableTensor", shape, dims, sizes);
  if (dims.empty() || isEmpty(shape)) {
    const Tensor t = graph.addVariable(type, shape, debugContext);
    poputil::mapTensorLinearly(graph, t);
    return t;
  }
  // Sliced dimensions first: they are the rows.
  std::vector<unsigned> order;
  for (const std::size_t dim : dims)
    order.push_back(static_cast<unsigned>(dim));
  for (unsigned d = 0; d != shape.size(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      order.push_back(d);
  std::size_t rows = 1, columns = 1;
  Sizes permuted;
  std::vector<unsigned> inverse(shape.size());
  for (unsigned i = 0; i != order.size(); ++i) {
    permuted.push_back(shape[order[i]]);
    inverse[order[i]] = i;
    (i < dims.size() ? rows : columns) *= shape[order[i]];
  }
  const TableLayout layout = plannedFor(graph, type, rows, columns, room);
  const Tensor matrix = variableByParts(graph, type, {rows}, columns, layout, debugContext);
  mapTo(graph, matrix, layout);
  return matrix.reshape(permuted).dimShuffle(inverse);
}
Tensor createSliceableTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                             const Sizes &sizes, std::size_t, const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, shape, dims, sizes, SlicePlan(), {}, debugContext);
}

Tensor createSliceTensor(Graph &graph, const Tensor &t, const Sizes &dims, const Sizes &sizes,
                         std::size_t numIndices, const DebugContext &debugContext) {
  checkSlice<poplibs_error>("createSliceTensor", t.shape(), dims, sizes);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), numIndices);
  if (dims.size() != 1 || isEmpty(shape)) {
    const Tensor slices = graph.addVariable(t.elementType(), shape, debugContext);
    poputil::mapTensorLinearly(graph, slices);
    return slices;
  }
  const Table table(graph, t, dims.front());
  const TableLayout layout = table.layout().first;
  const Tensor slices = variableByParts(graph, t.elementType(), {numIndices, sizes.front()},
                                        table.columns(), layout, debugContext);
  mapSlices(graph, slices, layout);
  return table.asSlices(slices);
}
Tensor createSliceTensor(Graph &graph, const Type &type, const Sizes &shape, const Sizes &dims,
                         const Sizes &sizes, std::size_t numIndices, const SlicePlan &plan,
                         const OptionFlags &options, const DebugContext &debugContext) {
  const TableRoom room = roomFor(plan, options);
  checkSlice<poplibs_error>("createSliceTensor", shape, dims, sizes);
  Sizes sliceShape = slicedShape(shape, dims, sizes);
  sliceShape.insert(sliceShape.begin(), numIndices);
  if (dims.size() != 1 || isEmpty(sliceShape) || isEmpty(shape)) {
    const Tensor slices = graph.addVariable(type, sliceShape, debugContext);
    poputil::mapTensorLinearly(graph, slices);
    return slices;
  }
  std::size_t elements = 1;
  for (const std::size_t dim : shape)
    elements *= dim;
  const std::size_t rows = shape[dims.front()], columns = elements / rows;
  const TableLayout layout = plannedFor(graph, type, rows, columns, room);
  const Tensor slices =
      variableByParts(graph, type, {numIndices, sizes.front()}, columns, layout, debugContext);
  mapSlices(graph, slices, layout);
  const unsigned dim = static_cast<unsigned>(dims.front());
  Sizes rolled = shape;
  rolled.erase(rolled.begin() + static_cast<std::ptrdiff_t>(dim));
  rolled.insert(rolled.begin(), {numIndices, sizes.front()});
  return slices.reshape(rolled).dimRoll(1, dim + 1);
}

Tensor createIndicesTensor(Graph &graph, const Sizes &dims, std::size_t numIndices,
                           const SlicePlan &, const OptionFlags &options,
                           const DebugContext &debugContext) {
  roomIn(options); // checks them
  const Tensor indices =
      graph.addVariable(poplar::UNSIGNED_INT, {numIndices, dims.size()}, debugContext);
  poputil::mapTensorLinearly(graph, indices);
  return indices;
}

Tensor createSliceableTensorFromSlice(Graph &graph, const Tensor &s, const Sizes &dims,
                                      const Sizes &numSlices, const DebugContext &debugContext) {
  if (dims.size() != numSlices.size())
    throw poplibs_error("createSliceableTensorFromSlice: " + std::to_string(dims.size()) +
                        " dimensions and " + std::to_string(numSlices.size()) +
                        " numbers of slices");
  Sizes shape = s.shape();
  std::vector<std::size_t> counts(s.rank(), 1);
  for (std::size_t i = 0; i != dims.size(); ++i) {
    if (dims[i] >= s.rank())
      throw poplibs_error("createSliceableTensorFromSlice: there is no dimension " +
                          std::to_string(dims[i]) + " in shape " + s.shapeToString());
    shape[dims[i]] *= numSlices[i];
    counts[dims[i]] = numSlices[i];
  }
  const Tensor t = graph.addVariable(s.elementType(), shape, debugContext);
  const auto mapping = graph.getTileMapping(s);
  std::size_t slices = 1;
  for (const std::size_t count : counts)
    slices *= count;
  for (std::size_t i = 0; i != slices; ++i) {
    Sizes begin = poputil::unflattenIndex(counts, i), end = begin;
    for (unsigned d = 0; d != s.rank(); ++d) {
      begin[d] *= s.dim(d);
      end[d] = begin[d] + s.dim(d);
    }
    graph.setTileMapping(t.slice(begin, end), mapping);
  }
  return t;
}

} // namespace popops
