#include "popops/DynamicSlice.hpp"
#include "popops/Gather.hpp"
#include "popops/Scatter.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using poputil::poplibs_error;

namespace popops {
namespace {

using Sizes = std::vector<std::size_t>;

void checkIndices(const char *function, const Tensor &indices) {
  if (indices.elementType() != poplar::UNSIGNED_INT && indices.elementType() != poplar::INT)
    throw poplibs_error(std::string(function) + ": indices are UNSIGNED_INT, not " +
                        indices.elementType().toString().cloneAsString());
}

/// Starts as rows: [starts, components].
struct Starts {
  Starts(const char *function, const Tensor &indices, std::size_t indexVectorDim,
         std::size_t components) {
    checkIndices(function, indices);
    if (indexVectorDim > indices.rank())
      throw poplibs_error(std::string(function) + ": indices of rank " +
                          std::to_string(indices.rank()) + " have no dimension " +
                          std::to_string(indexVectorDim));
    const Tensor all =
        indexVectorDim == indices.rank() ? indices.expand({indices.rank()}) : indices;
    const Tensor last = all.dimRoll(static_cast<unsigned>(indexVectorDim), all.rank() - 1);
    if (last.dim(last.rank() - 1) != components)
      throw poplibs_error(std::string(function) + ": starts of " +
                          std::to_string(last.dim(last.rank() - 1)) + " components for " +
                          std::to_string(components) + " dimensions");
    batch = last.shape();
    batch.pop_back();
    rows = last.reshape({last.numElements() / std::max<std::size_t>(1, components), components})
               .reinterpret(poplar::UNSIGNED_INT);
  }
  Sizes batch;
  Tensor rows;
};

/// Returns the part of a tensor that can be reached: whole in \p dims, from the start in others.
Tensor reachable(const Tensor &t, const Sizes &dims, const Sizes &sizes) {
  Tensor part = t;
  for (unsigned d = 0; d != t.rank(); ++d)
    if (std::find(dims.begin(), dims.end(), d) == dims.end())
      part = part.slice(0, sizes[d], d);
  return part;
}

Sizes pick(const Sizes &sizes, const Sizes &dims) {
  Sizes picked;
  for (const std::size_t dim : dims)
    picked.push_back(sizes[dim]);
  return picked;
}

template <typename T> bool contains(const std::vector<T> &values, std::size_t value) {
  return std::find(values.begin(), values.end(), static_cast<T>(value)) != values.end();
}

/// The effect of scatter() on its operand.
struct ScatterWork {
  ScatterWork(const Tensor &operand, const Tensor &indices, const Tensor &updates,
              std::size_t indexVectorDim, const std::vector<unsigned> &updateWindowDims,
              const Sizes &insertWindowDims, const std::vector<unsigned> &toOperand)
      : starts("scatter", indices, indexVectorDim, toOperand.size()),
        dims(toOperand.begin(), toOperand.end()) {
    std::vector<unsigned> order;
    for (unsigned d = 0; d != updates.rank(); ++d)
      if (!contains(updateWindowDims, d))
        order.push_back(d);
    const std::size_t batchDims = order.size();
    for (unsigned d = 0; d != updates.rank(); ++d)
      if (contains(updateWindowDims, d))
        order.push_back(d);
    const std::size_t windowDims =
        updates.rank() - batchDims; // window dimensions that updates have
    if (windowDims + insertWindowDims.size() != operand.rank())
      throw poplibs_error("scatter: " + std::to_string(windowDims) + " window dimensions and " +
                          std::to_string(insertWindowDims.size()) +
                          " inserted ones for an operand of rank " +
                          std::to_string(operand.rank()));
    const Tensor ordered = updates.dimShuffle(order);
    Sizes shape = {1};
    for (std::size_t d = 0; d != batchDims; ++d)
      shape.front() *= ordered.dim(static_cast<unsigned>(d));
    if (shape.front() != starts.rows.dim(0))
      throw poplibs_error("scatter: updates of shape " + updates.shapeToString() + " for " +
                          std::to_string(starts.rows.dim(0)) + " starts");
    unsigned next = static_cast<unsigned>(batchDims);
    for (unsigned d = 0; d != operand.rank(); ++d)
      sizes.push_back(contains(insertWindowDims, d) ? 1 : ordered.dim(next++));
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    for (unsigned d = 0; d != operand.rank(); ++d)
      if (sizes[d] > operand.dim(d))
        throw poplibs_error("scatter: windows of shape " + ordered.shapeToString() +
                            " do not fit into an operand of shape " + operand.shapeToString());
    windows = ordered.reshape(shape);
    target = reachable(operand, dims, sizes);
  }

  Starts starts;
  Sizes dims, sizes; ///< sizes of all dimensions
  Tensor windows;    ///< [starts, window...]
  Tensor target;
};

} // namespace

Tensor createGatherInput(Graph &graph, const poplar::Type &type, const Sizes &operandShape,
                         unsigned axis, GatherParams, const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, operandShape, {axis}, {1}, 0, debugContext);
}
Tensor createGatherInput(Graph &graph, const poplar::Type &type, const Sizes &inputShape,
                         const Sizes &sliceSizes, std::vector<unsigned> startIndexMap,
                         const DebugContext &debugContext) {
  const Sizes dims(startIndexMap.begin(), startIndexMap.end());
  return createSliceableTensor(graph, type, inputShape, dims, pick(sliceSizes, dims), 0,
                               debugContext);
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, unsigned axis,
              Sequence &prog, GatherParams, const DebugContext &debugContext, const OptionFlags &) {
  if (indices.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error("gather: indices are UNSIGNED_INT, not " +
                        indices.elementType().toString().cloneAsString());
  if (axis >= input.rank())
    throw poplibs_error("gather: there is no dimension " + std::to_string(axis) + " in shape " +
                        input.shapeToString());
  const Tensor slices = multiSlice(graph, input, indices.flatten().expand({1}), {axis}, {1}, prog,
                                   SlicePlan(), {}, {debugContext, "gather"});
  const Tensor inPlace = slices.squeeze({axis + 1}).dimRoll(0, axis);
  return inPlace.reshapePartial(axis, axis + 1, indices.shape());
}

Tensor gather(Graph &graph, const Tensor &input, const Tensor &indices, std::size_t indexVectorDim,
              const Sizes &offsetDims, const Sizes &sliceSizes, const Sizes &collapsedSliceDims,
              const std::vector<unsigned> &startIndexMap, Sequence &prog,
              const DebugContext &debugContext, const OptionFlags &) {
  if (sliceSizes.size() != input.rank())
    throw poplibs_error("gather: " + std::to_string(sliceSizes.size()) +
                        " slice sizes for an input of rank " + std::to_string(input.rank()));
  if (offsetDims.size() + collapsedSliceDims.size() != input.rank())
    throw poplibs_error("gather: " + std::to_string(offsetDims.size()) + " offset dimensions and " +
                        std::to_string(collapsedSliceDims.size()) +
                        " collapsed ones for an input of rank " + std::to_string(input.rank()));
  const Starts starts("gather", indices, indexVectorDim, startIndexMap.size());
  const Sizes dims(startIndexMap.begin(), startIndexMap.end());
  const Tensor slices =
      multiSlice(graph, reachable(input, dims, sliceSizes), starts.rows, dims,
                 pick(sliceSizes, dims), prog, SlicePlan(), {}, {debugContext, "gather"});
  Sizes dropped;
  for (const std::size_t dim : collapsedSliceDims)
    dropped.push_back(dim + 1);
  const Tensor batched = slices.squeeze(dropped).reshapePartial(0, 1, starts.batch);
  // Dimensions are [batch..., offsets...]; offsetDims says where the latter go.
  std::vector<unsigned> order;
  unsigned batch = 0, offset = static_cast<unsigned>(starts.batch.size());
  for (unsigned d = 0; d != batched.rank(); ++d)
    order.push_back(contains(offsetDims, d) ? offset++ : batch++);
  return batched.dimShuffle(order);
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             Sizes insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &) {
  const ScatterWork work(operand, indices, updates, indexVectorDim, updateWindowDims,
                         insertWindowDims, scatterDimsToOperandDims);
  multiUpdate(graph, work.target, work.windows, work.starts.rows, work.dims,
              pick(work.sizes, work.dims), prog, SlicePlan(), {}, {debugContext, "scatter"});
}

void scatter(Graph &graph, const Tensor &operand, const Tensor &indices, const Tensor &updates,
             std::size_t indexVectorDim, std::vector<unsigned> updateWindowDims,
             Sizes insertWindowDims, std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, Sequence &prog,
             const DebugContext &debugContext, const OptionFlags &) {
  const ScatterWork work(operand, indices, updates, indexVectorDim, updateWindowDims,
                         insertWindowDims, scatterDimsToOperandDims);
  const Sizes sizes = pick(work.sizes, work.dims);
  const DebugContext name(debugContext, "scatter");
  for (std::size_t i = 0; i != work.windows.dim(0); ++i) {
    const Tensor start = work.starts.rows[i];
    Tensor current = dynamicSlice(graph, work.target, start, work.dims, sizes, prog, name);
    Tensor update = work.windows[i];
    const Tensor result = updateComputation(graph, current, update, prog);
    multiUpdate(graph, work.target, result.expand({0}), start.expand({0}), work.dims, sizes, prog,
                SlicePlan(), {}, name);
  }
}

} // namespace popops
