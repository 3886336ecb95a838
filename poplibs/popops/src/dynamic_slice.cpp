#include "popops/DynamicSlice.hpp"
#include "poputil/Util.hpp"
#include "poputil/VertexTemplates.hpp"
#include "slice_arguments.hpp"
#include "slice_table.hpp"
#include "slice_vertices.hpp"

#include <poplar/exceptions.hpp>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Sequence;
using namespace copse::slices;

namespace {

Tensor sliceOfOne(Graph &graph, const Tensor &t, const Tensor &offset, std::size_t dim,
                  std::size_t size, Sequence &prog, const DebugContext &debugContext) {
  const Table table(graph, t, dim);
  const Tensor slices = Rows(graph, table, offset.reshape({1}), size, debugContext).slice(prog);
  return table.asSlices(slices)[0];
}

} // namespace

Tensor dynamicSlice(Graph &graph, const Tensor &t, const Tensor &offset, const Sizes &dims,
                    const Sizes &sizes, Sequence &prog, const DebugContext &debugContext,
                    const OptionFlags &) {
  checkDynamic("dynamicSlice", t, offset, dims, sizes);
  const Sizes shape = slicedShape(t.shape(), dims, sizes);
  if (isEmpty(shape)) {
    const Tensor empty = graph.addVariable(t.elementType(), shape, debugContext);
    return empty;
  }
  if (dims.empty())
    return poputil::duplicate(graph, t, prog, debugContext);
  Tensor slice = t;
  const Tensor offsets = offset.flatten();
  for (std::size_t i = 0; i != dims.size(); ++i)
    slice = sliceOfOne(graph, slice, offsets[i], dims[i], sizes[i], prog, debugContext);
  return slice;
}

void dynamicSliceWithOutput(Graph &graph, const Tensor &output, const Tensor &t,
                            const Tensor &offset, const Sizes &dims, const Sizes &sizes,
                            Sequence &prog, const DebugContext &debugContext,
                            const OptionFlags &options) {
  const Tensor slice = dynamicSlice(graph, t, offset, dims, sizes, prog, debugContext, options);
  if (output.shape() != slice.shape() || output.elementType() != slice.elementType())
    throw poplar::graph_connection_error("dynamicSlice: an output of shape " +
                                         output.shapeToString() + " for a slice of shape " +
                                         slice.shapeToString());
  prog.add(poplar::program::Copy(slice, output, false, debugContext));
}

void dynamicUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offset,
                   const Sizes &dims, const Sizes &sizes, Sequence &prog,
                   const DebugContext &debugContext, const OptionFlags &options) {
  checkDynamic("dynamicUpdate", t, offset, dims, sizes);
  if (s.shape() != slicedShape(t.shape(), dims, sizes) || s.elementType() != t.elementType())
    throw poplar::graph_connection_error(
        "dynamicUpdate: the slice has shape " + s.shapeToString() + " and type " +
        s.elementType().toString().cloneAsString() + "; it does not fit the tensor of shape " +
        t.shapeToString() + " and type " + t.elementType().toString().cloneAsString());
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(poplar::program::Copy(s, t, false, debugContext));
    return;
  }
  const Tensor offsets = offset.flatten();
  if (dims.size() > 1) {
    // The part that the first dimension selects is taken out, updated, and put back.
    const Tensor part = sliceOfOne(graph, t, offsets[0], dims[0], sizes[0], prog, debugContext);
    dynamicUpdate(graph, part, s, offsets.slice(1, dims.size()),
                  Sizes(dims.begin() + 1, dims.end()), Sizes(sizes.begin() + 1, sizes.end()), prog,
                  debugContext, options);
    dynamicUpdate(graph, t, part, offsets.slice(0, 1), {dims[0]}, {sizes[0]}, prog, debugContext,
                  options);
    return;
  }
  const Table table(graph, t, dims.front());
  Rows(graph, table, offsets, sizes.front(), debugContext)
      .update(poputil::templateVertex("popops::UpdateRows", t.elementType()),
              table.asMatrices(s.expand({0})), nullptr, Outside::Wraps, 1, prog);
}

} // namespace popops
