#include "joined_dimensions.hpp"
#include "popops/DynamicSlice.hpp"
#include "poputil/Util.hpp"
#include "poputil/VertexTemplates.hpp"
#include "poputil/exceptions.hpp"
#include "slice_arguments.hpp"
#include "slice_plan.hpp"
#include "slice_table.hpp"
#include "slice_vertices.hpp"

#include <algorithm>

namespace popops {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::Type;
using poplar::program::Sequence;
using poputil::poplibs_error;
using namespace copse::slices;

namespace {

void checkMulti(const char *function, const Tensor &t, const Tensor &offsets, const Sizes &dims,
                const Sizes &sizes, const SlicePlan &plan, const OptionFlags &options) {
  roomIn(options); // checks them
  checkSlice<poplibs_error>(function, t.shape(), dims, sizes);
  const std::string name = function;
  if (offsets.rank() != 2 || offsets.dim(1) != dims.size())
    throw poplibs_error(name + ": offsets of shape " + offsets.shapeToString() +
                        "; it must be {lookups, " + std::to_string(dims.size()) + "}");
  if (offsets.elementType() != poplar::UNSIGNED_INT)
    throw poplibs_error(name + ": offsets are UNSIGNED_INT, not " +
                        offsets.elementType().toString().cloneAsString());
  const SlicePlanInternal &p = plan.getImpl();
  if (!p.isDefault && (t.rank() != 2 || dims != Sizes{0} || sizes != Sizes{1} || p.groups != 1 ||
                       t.dim(0) != p.rows || t.dim(1) != p.columns))
    throw poplibs_error(name + ": the plan is for single rows of a table of shape {" +
                        std::to_string(p.rows) + "," + std::to_string(p.columns) + "}, not for " +
                        t.shapeToString());
}

void multiCombine(Graph &graph, const char *function, const char *how, const Tensor &t,
                  const Tensor &s, const Tensor &offsets, const Tensor *scale, const Sizes &dims,
                  const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  checkMulti(function, t, offsets, dims, sizes, plan, options);
  const std::string name = function;
  const Type type = t.elementType();
  if (t.rank() != 2 || dims.size() != 1 || sizes.front() != 1)
    throw poplibs_error(name +
                        ": takes a table of two dimensions, of which one is sliced, by one "
                        "element; the table's shape is " +
                        t.shapeToString());
  if (type != poplar::FLOAT && type != poplar::HALF && type != poplar::INT &&
      type != poplar::UNSIGNED_INT)
    throw poplibs_error(name + ": not for elements of type " + type.toString().cloneAsString());
  if (s.elementType() != type ||
      (scale != nullptr && (scale->elementType() != type || scale->numElements() != 1)))
    throw poplibs_error(name + ": slices and scale must have the table's type, " +
                        type.toString().cloneAsString() + ", and the scale one element");
  Sizes expected = slicedShape(t.shape(), dims, sizes);
  expected.insert(expected.begin(), offsets.dim(0));
  if (s.shape() != expected)
    throw poplibs_error(name + ": slices of shape " + s.shapeToString() + " for a table of shape " +
                        t.shapeToString());
  if (offsets.dim(0) == 0 || t.numElements() == 0)
    return;
  const Table table(graph, t, dims.front());
  Tensor one;
  if (scale == nullptr) {
    one = graph.addConstant(type, {}, 1, {debugContext, "one"});
    graph.setTileMapping(one, 0);
  }
  const Tensor by = scale == nullptr ? one : scale->reshape({});
  const std::string vertex = poputil::templateVertex("popops::CombineRows", how, type);
  Rows(graph, table, offsets, 1, debugContext)
      .update(vertex, table.asMatrices(s), &by, Outside::Skipped, 2, prog);
}

} // namespace

Tensor multiSlice(Graph &graph, const Tensor &t, const Tensor &offsets, const Sizes &dims,
                  const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                  const OptionFlags &options, const DebugContext &debugContext) {
  checkMulti("multiSlice", t, offsets, dims, sizes, plan, options);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  if (isEmpty(shape))
    return graph.addVariable(t.elementType(), shape, debugContext);
  if (dims.empty())
    return poputil::duplicate(graph,
                              t.expand({0}).broadcast(static_cast<unsigned>(offsets.dim(0)), 0),
                              prog, debugContext);
  if (dims.size() > 1) {
    const JoinedDimensions one(graph, t, offsets, dims, sizes, Outside::Wraps, prog, debugContext);
    return one.asSlices(
        multiSlice(graph, one.table(), one.rows(), {0}, {1}, prog, SlicePlan(), {}, debugContext),
        shape);
  }
  const Table table(graph, t, dims.front());
  return table.asSlices(Rows(graph, table, offsets, sizes.front(), debugContext).slice(prog));
}

void multiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                 const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                 const OptionFlags &options, const DebugContext &debugContext) {
  checkMulti("multiUpdate", t, offsets, dims, sizes, plan, options);
  Sizes shape = slicedShape(t.shape(), dims, sizes);
  shape.insert(shape.begin(), offsets.dim(0));
  if (s.shape() != shape || s.elementType() != t.elementType())
    throw poplibs_error("multiUpdate: slices of shape " + s.shapeToString() +
                        " for a tensor of shape " + t.shapeToString());
  if (s.numElements() == 0)
    return;
  if (dims.empty()) {
    prog.add(poplar::program::Copy(s[s.dim(0) - 1], t, false, debugContext));
    return;
  }
  if (dims.size() > 1) {
    const JoinedDimensions one(graph, t, offsets, dims, sizes, Outside::Skipped, prog,
                               debugContext);
    multiUpdate(graph, one.table(), one.asRows(s), one.rows(), {0}, {1}, prog, SlicePlan(), {},
                debugContext);
    return;
  }
  const Table table(graph, t, dims.front());
  Rows(graph, table, offsets, sizes.front(), debugContext)
      .update(poputil::templateVertex("popops::UpdateRows", t.elementType()), table.asMatrices(s),
              nullptr, Outside::Skipped, 1, prog);
}

void multiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Tensor &scale, const Sizes &dims, const Sizes &sizes, Sequence &prog,
                    const SlicePlan &plan, const OptionFlags &options,
                    const DebugContext &debugContext) {
  if (scale.rank() != 0)
    throw poplibs_error("multiUpdateAdd: the scale has shape " + scale.shapeToString() +
                        "; it must be {}");
  multiCombine(graph, "multiUpdateAdd", "popops::RowUpdate::ADD", t, s, offsets, &scale, dims,
               sizes, prog, plan, options, debugContext);
}
void multiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options, const DebugContext &debugContext) {
  multiCombine(graph, "multiUpdateMax", "popops::RowUpdate::MAX", t, s, offsets, nullptr, dims,
               sizes, prog, plan, options, debugContext);
}
void multiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                    const Sizes &dims, const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                    const OptionFlags &options, const DebugContext &debugContext) {
  multiCombine(graph, "multiUpdateMul", "popops::RowUpdate::MUL", t, s, offsets, nullptr, dims,
               sizes, prog, plan, options, debugContext);
}

} // namespace popops
