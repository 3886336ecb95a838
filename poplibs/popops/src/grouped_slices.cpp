// Slices of groups of tables: a group is one more dimension that offsets name.
#include "joined_dimensions.hpp"
#include "popops/DynamicSlice.hpp"
#include "poputil/exceptions.hpp"
#include "slice_arguments.hpp"
#include "slice_plan.hpp"

#include <functional>

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

Sizes withGroups(std::size_t first, const Sizes &sizes) {
  Sizes all = {first};
  all.insert(all.end(), sizes.begin(), sizes.end());
  return all;
}

/// Turns the dimensions of a group's table into dimensions of all tables, with the dimension of the
/// groups.
Sizes withGroupDim(const Sizes &dims) {
  Sizes all = {0};
  for (const std::size_t dim : dims)
    all.push_back(dim + 1);
  return all;
}

/// Turns the arguments of a grouped call into arguments of a call without groups.
class Groups {
public:
  Groups(const char *function, const Tensor &t, const Tensor &offsets, const Sizes &dims,
         const Sizes &sizes, const SlicePlan &plan)
      : function_(function), dims_(withGroupDim(dims)), sizes_(withGroups(1, sizes)) {
    const std::string name = function;
    if (t.rank() == 0 || offsets.rank() != 3 || offsets.dim(0) != t.dim(0) ||
        offsets.dim(2) != dims.size())
      throw poplibs_error(name + ": tables of shape " + t.shapeToString() +
                          " and offsets of shape " + offsets.shapeToString() +
                          "; they must be {groups, ...} and {groups, lookups, " +
                          std::to_string(dims.size()) + "}");
    if (offsets.elementType() != poplar::UNSIGNED_INT)
      throw poplibs_error(name + ": offsets are UNSIGNED_INT, not " +
                          offsets.elementType().toString().cloneAsString());
    const Sizes shape = t.shape();
    table_ = Sizes(shape.begin() + 1, shape.end());
    checkSlice<poplibs_error>(function, table_, dims, sizes);
    const SlicePlanInternal &p = plan.getImpl();
    if (!p.isDefault && (table_ != Sizes{p.rows, p.columns} || p.groups != t.dim(0) ||
                         dims != Sizes{0} || sizes != Sizes{1}))
      throw poplibs_error(name + ": the plan is for single rows of " + std::to_string(p.groups) +
                          " tables of shape {" + std::to_string(p.rows) + "," +
                          std::to_string(p.columns) + "}, not for " + t.shapeToString());
    groups_ = offsets.dim(0);
    lookups_ = offsets.dim(1);
  }

  const Sizes &dims() const { return dims_; }
  const Sizes &sizes() const { return sizes_; }

  /// Returns [groups * lookups, 1 + dims]: each offset after the number of its group.
  Tensor offsets(Graph &graph, const Tensor &offsets, const DebugContext &debugContext) const {
    std::vector<unsigned> numbers;
    for (std::size_t i = 0; i != groups_ * lookups_; ++i)
      numbers.push_back(static_cast<unsigned>(i / lookups_));
    const Tensor groups = graph.addConstant<unsigned>(poplar::UNSIGNED_INT, {numbers.size(), 1},
                                                      numbers, {debugContext, "groups"});
    graph.setTileMapping(groups, 0);
    return poplar::concat(groups, offsets.flatten(0, 2), 1);
  }

  /// Returns [groups, lookups, slice...] as [groups * lookups, 1, slice...].
  Tensor merged(const Tensor &slices) const {
    const Sizes expected = withGroups(groups_, withGroups(lookups_, sliceShape()));
    if (slices.shape() != expected)
      throw poplibs_error(std::string(function_) + ": slices of shape " + slices.shapeToString() +
                          " for tables of shape " + std::to_string(groups_) +
                          " times that of their slices");
    return slices.flatten(0, 2).expand({1});
  }
  /// Returns the inverse.
  Tensor separated(const Tensor &slices) const {
    return slices.squeeze({1}).reshapePartial(0, 1, {groups_, lookups_});
  }

private:
  Sizes sliceShape() const {
    Sizes shape = table_;
    for (std::size_t i = 1; i != dims_.size(); ++i)
      shape[dims_[i] - 1] = sizes_[i];
    return shape;
  }

  const char *function_;
  Sizes dims_, sizes_, table_;
  std::size_t groups_ = 0, lookups_ = 0;
};

/// Calls \p update with rows of all tables as one, slices of these rows, and the row of each.
template <typename Update>
void updateRows(const char *function, Graph &graph, const Tensor &t, const Tensor &s,
                const Tensor &offsets, const Sizes &dims, const Sizes &sizes, Sequence &prog,
                const SlicePlan &plan, const DebugContext &debugContext, Update update) {
  const Groups groups(function, t, offsets, dims, sizes, plan);
  const Tensor slices = groups.merged(s);
  if (s.numElements() == 0)
    return;
  const JoinedDimensions joined(graph, t, groups.offsets(graph, offsets, debugContext),
                                groups.dims(), groups.sizes(), Outside::Skipped, prog,
                                debugContext);
  update(joined.table(), joined.asRows(slices), joined.rows());
}

} // namespace

Tensor createGroupedSliceableTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                    const Sizes &shape, const Sizes &dims, const Sizes &sizes,
                                    const SlicePlan &plan, const OptionFlags &options,
                                    const DebugContext &debugContext) {
  return createSliceableTensor(graph, type, withGroups(groupSize, shape), withGroupDim(dims),
                               withGroups(1, sizes), plan, options, debugContext);
}

Tensor createGroupedSliceTensor(Graph &graph, const Type &type, std::size_t groupSize,
                                const Sizes &shape, const Sizes &dims, const Sizes &sizes,
                                std::size_t numIndices, const SlicePlan &plan,
                                const OptionFlags &options, const DebugContext &debugContext) {
  const Tensor slices =
      createSliceTensor(graph, type, withGroups(groupSize, shape), withGroupDim(dims),
                        withGroups(1, sizes), groupSize * numIndices, plan, options, debugContext);
  return slices.squeeze({1}).reshapePartial(0, 1, {groupSize, numIndices});
}

Tensor createGroupedIndicesTensor(Graph &graph, std::size_t groupSize, const Sizes &dims,
                                  std::size_t numIndices, const SlicePlan &plan,
                                  const OptionFlags &options, const DebugContext &debugContext) {
  return createIndicesTensor(graph, dims, groupSize * numIndices, plan, options, debugContext)
      .reshapePartial(0, 1, {groupSize, numIndices});
}

Tensor groupedMultiSlice(Graph &graph, const Tensor &t, const Tensor &offsets, const Sizes &dims,
                         const Sizes &sizes, Sequence &prog, const SlicePlan &plan,
                         const OptionFlags &options, const DebugContext &debugContext) {
  const Groups groups("groupedMultiSlice", t, offsets, dims, sizes, plan);
  return groups.separated(multiSlice(graph, t, groups.offsets(graph, offsets, debugContext),
                                     groups.dims(), groups.sizes(), prog, SlicePlan(), options,
                                     debugContext));
}

void groupedMultiUpdate(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                        const Sizes &dims, const Sizes &sizes, Sequence &prog,
                        const SlicePlan &plan, const OptionFlags &options,
                        const DebugContext &debugContext) {
  updateRows("groupedMultiUpdate", graph, t, s, offsets, dims, sizes, prog, plan, debugContext,
             [&](const Tensor &table, const Tensor &slices, const Tensor &rows) {
               multiUpdate(graph, table, slices, rows, {0}, {1}, prog, SlicePlan(), options,
                           debugContext);
             });
}

void groupedMultiUpdateAdd(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const Tensor &scale, const Sizes &dims, const Sizes &sizes,
                           Sequence &prog, const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateRows("groupedMultiUpdateAdd", graph, t, s, offsets, dims, sizes, prog, plan, debugContext,
             [&](const Tensor &table, const Tensor &slices, const Tensor &rows) {
               multiUpdateAdd(graph, table, slices, rows, scale, {0}, {1}, prog, SlicePlan(),
                              options, debugContext);
             });
}

void groupedMultiUpdateMax(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const Sizes &dims, const Sizes &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateRows("groupedMultiUpdateMax", graph, t, s, offsets, dims, sizes, prog, plan, debugContext,
             [&](const Tensor &table, const Tensor &slices, const Tensor &rows) {
               multiUpdateMax(graph, table, slices, rows, {0}, {1}, prog, SlicePlan(), options,
                              debugContext);
             });
}

void groupedMultiUpdateMul(Graph &graph, const Tensor &t, const Tensor &s, const Tensor &offsets,
                           const Sizes &dims, const Sizes &sizes, Sequence &prog,
                           const SlicePlan &plan, const OptionFlags &options,
                           const DebugContext &debugContext) {
  updateRows("groupedMultiUpdateMul", graph, t, s, offsets, dims, sizes, prog, plan, debugContext,
             [&](const Tensor &table, const Tensor &slices, const Tensor &rows) {
               multiUpdateMul(graph, table, slices, rows, {0}, {1}, prog, SlicePlan(), options,
                              debugContext);
             });
}

} // namespace popops
