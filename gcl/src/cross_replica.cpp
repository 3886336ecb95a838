#include "choice.hpp"
#include "collective_options.hpp"
#include "layout.hpp"
#include "matrix.hpp"
#include "plan_program.hpp"
#include "refusals.hpp"
#include "similar.hpp"

#include <algorithm>
#include <functional>
#include <gcl/Collectives.hpp>
#include <map>
#include <poputil/exceptions.hpp>
#include <string>

namespace gcl {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Sequence;
using Tensors = std::vector<Tensor>;

std::string shapeText(const std::vector<std::size_t> &shape) {
  std::string text;
  for (const std::size_t size : shape)
    text += (text.empty() ? "" : ",") + std::to_string(size);
  return "{" + text + "}";
}

Tensor flat(const Tensors &tensors) {
  Tensors parts;
  for (const Tensor &t : tensors)
    parts.push_back(t.flatten());
  return poplar::concat(parts);
}

/// Tensors of one type that are processed together, and their places in the caller's list.
struct Batch {
  Tensors in, out;
  std::vector<std::size_t> places;
};
std::vector<Batch> byType(const Tensors &in, const Tensors &out) {
  std::vector<Batch> batches;
  for (std::size_t i = 0; i < in.size(); ++i) {
    auto batch = std::find_if(batches.begin(), batches.end(), [&](const Batch &b) {
      return b.in.front().elementType() == in[i].elementType();
    });
    if (batch == batches.end())
      batch = batches.emplace(batches.end());
    batch->in.push_back(in[i]);
    if (!out.empty())
      batch->out.push_back(out[i]);
    batch->places.push_back(i);
  }
  return batches;
}

void checkOutputs(const char *function, const Tensors &out,
                  const std::vector<std::vector<std::size_t>> &shapes, const Tensors &in) {
  if (out.size() != in.size())
    refuse(function, std::to_string(out.size()) + " destinations for " + std::to_string(in.size()) +
                         " tensors");
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].elementType() != in[i].elementType() || out[i].shape() != shapes[i])
      refuse(function, "destination " + std::to_string(i) + " is " +
                           out[i].elementType().toString().cloneAsString() + " of shape " +
                           out[i].shapeToString() + ", but the result is " +
                           in[i].elementType().toString().cloneAsString() + " of shape " +
                           shapeText(shapes[i]));
    if (!out[i].isParallelWriteable())
      refuse(function, "destination " + std::to_string(i) +
                           " cannot be written: it has constants, or an element twice");
  }
}
std::vector<std::vector<std::size_t>> shapesOf(const Tensors &tensors) {
  std::vector<std::vector<std::size_t>> shapes;
  for (const Tensor &t : tensors)
    shapes.push_back(t.shape());
  return shapes;
}

/// Returns a layout of \p times as many columns, each copy on the tiles of the first.
Layout repeated(const Layout &layout, std::size_t times) {
  Layout wide{1, layout.columns * times, layout.columnsOnTile, {}, {}};
  for (std::vector<poplar::Interval> &columns : wide.columnsOnTile) {
    const std::vector<poplar::Interval> once = columns;
    for (std::size_t shift = layout.columns; shift < wide.columns; shift += layout.columns)
      for (const poplar::Interval &interval : once)
        columns.emplace_back(interval.begin() + shift, interval.end() + shift);
  }
  return wide;
}

/// The common part of the cross-replica functions: the groups and the way to communicate.
class Collectives {
public:
  Collectives(const char *function, Graph &graph, Sequence &prog, const CommGroup &group,
              const DebugContext &debugContext, const OptionFlags &options)
      : function_(function), graph_(graph), prog_(prog), debugContext_(debugContext, function),
        groups_(replicaGroups(group, graph.getReplicationFactor())), method_(parseMethod(options)) {
  }

  unsigned members() const { return static_cast<unsigned>(groups_.front().size()); }
  const DebugContext &debugContext() const { return debugContext_; }
  void copy(const CopyEnds &ends) { copy(ends.from, ends.to); }
  void copy(const Tensor &from, const Tensor &to) {
    if (from.numElements() > 0)
      prog_.add(Copy(from, to, false, debugContext_));
  }

  /// Reduces \p in to \p out, which have equal shapes and one type.
  void allReduce(const Tensors &in, const Tensors &out, CollectiveOperator op);
  /// \returns for each tensor, shape [parts of the IPUs]
  Tensors reduceScatter(const Tensors &in, CollectiveOperator op);
  /// \returns for each tensor, shape [members] + its own
  Tensors allGather(const Tensors &in);
  Tensor allToAll(const Tensor &in);
  void broadcast(const Tensors &in, const Tensors &out, unsigned root);

private:
  /// Returns the task for all groups.
  /// \param rows  rows of the operand, in \p layout's columns
  Task task(Collective collective, const Groups &groups, const Layout &layout, std::size_t rows,
            const poplar::Type &type) const;
  /// Writes the operand of a reduce-scatter to the given rows, shape [members][columns], by rank.
  using Load = std::function<void(const Tensor &rows)>;
  struct Scatter {
    poplar::Type type;
    Reduction reduction;
    bool squares = false; ///< reduces squares
    bool local = false;   ///< each member takes its own row instead of a reduction
    bool nestable = true; ///< may be carried out by groups within the groups
    std::optional<Method> method = {};
  };
  /// Returns each member's row of the reduction, shape [columns].
  Tensor scatterRows(const Groups &groups, const Layout &layout, const Load &load,
                     const Scatter &scatter);
  Tensor scatterRowsAtOnce(const Choice &chosen, const Groups &groups, const Layout &layout,
                           const Load &load, const Scatter &scatter);
  /// Returns the operands of all members, shape [members][elements], by rank.
  /// \param operand  shape [elements]
  Tensor gatherRows(const Groups &groups, const Tensor &operand, std::optional<Method> method,
                    bool nestable);
  /// Returns \p rows, which are in the order of the ring, by rank.
  Tensor byRank(const Tensor &rows, const Ring &ring) const;
  /// Additional steps of an all-reduce.
  struct Extras {
    std::optional<Method> method;
    bool squares = false;              ///< reduces squares
    std::optional<unsigned> root = {}; ///< root of a broadcast: the other members count as zeros
  };
  void reduceEverywhere(const Groups &groups, const Tensor &in, const Tensor &out,
                        const Reduction &reduction, const Extras &extras);
  Reduction reductionOf(CollectiveOperator op) const {
    return {combinationOf(op), op == CollectiveOperator::MEAN ? members() : 1};
  }
  void squareAlone(const Tensor &in, const Tensor &out);

  const char *function_;
  Graph &graph_;
  Sequence &prog_;
  DebugContext debugContext_;
  Groups groups_;
  std::optional<Method> method_;
};

std::size_t grainOf(const Graph &graph, const poplar::Type &type) {
  return std::max<std::size_t>(1, 4 / graph.getTarget().getTypeSize(type));
}

Task Collectives::task(Collective collective, const Groups &groups, const Layout &layout,
                       std::size_t rows, const poplar::Type &type) const {
  const poplar::Target &target = graph_.getTarget();
  const unsigned tilesPerIpu = target.getTilesPerIPU();
  Task task{collective, groups, target.getNumIPUs(), 0, 1};
  for (unsigned first = 0; first < layout.columnsOnTile.size(); first += tilesPerIpu) {
    std::size_t columns = 0;
    unsigned tiles = 0;
    for (unsigned tile = first;
         tile < std::min<std::size_t>(layout.columnsOnTile.size(), first + tilesPerIpu); ++tile) {
      for (const poplar::Interval &interval : layout.columnsOnTile[tile])
        columns += interval.size();
      tiles += layout.columnsOnTile[tile].empty() ? 0 : 1;
    }
    const std::size_t bytes = columns * rows * target.getTypeSize(type);
    if (bytes > task.bytes) {
      task.bytes = bytes;
      task.tiles = tiles;
    }
  }
  return task;
}

Tensor Collectives::byRank(const Tensor &rows, const Ring &ring) const {
  Tensors ranks;
  for (unsigned rank = 0; rank < ring.size(); ++rank) {
    const unsigned position = ring.positionOfRank(rank);
    ranks.push_back(rows.slice(position, position + 1));
  }
  return poplar::concat(ranks);
}

void Collectives::squareAlone(const Tensor &in, const Tensor &out) {
  const Layout layout =
      balancedLayout(graph_.getTileMapping(in), graph_.getTarget().getTilesPerIPU(), 1, 1);
  const Matrix matrix(graph_, in.elementType(), layout, 1, 0, debugContext_);
  copy(loadEnds(graph_, in, layout, matrix.main(), debugContext_));
  const Ring alone(groups_, {0});
  PlanProgram(alone, matrix, prog_, debugContext_).square(1);
  copy(storeEnds(matrix.main(), layout, out));
}

void Collectives::reduceEverywhere(const Groups &groups, const Tensor &in, const Tensor &out,
                                   const Reduction &reduction, const Extras &extras) {
  const poplar::Type type = in.elementType();
  const auto mapping = graph_.getTileMapping(in);
  const auto members = static_cast<unsigned>(groups.front().size());
  const auto layoutOf = [&](std::size_t rows) {
    return balancedLayout(mapping, graph_.getTarget().getTilesPerIPU(), rows,
                          grainOf(graph_, type));
  };
  Layout layout = layoutOf(members);
  Task work = task(Collective::AllReduce, groups, layout, members, type);
  work.nestable = !extras.root;
  const Choice chosen = choose(graph_.getTarget(), work, extras.method);
  const bool nested = chosen.inner > 0;
  const Groups ringGroups = nested ? innerGroups(groups, chosen.inner) : groups;
  const unsigned rows = nested ? chosen.inner : members;
  const Plan plan = allReducePlan(nested ? chosen.innerMethod : chosen.method, rows);
  if (nested || plan.wholeRows)
    layout = layoutOf(plan.wholeRows ? 1 : rows);
  const Ring ring(ringGroups, chosen.order);
  const Matrix matrix(graph_, type, layout, rows, plan.rows - rows, debugContext_);
  const Tensor operand = plan.wholeRows ? matrix.rows(0, 1) : matrix.main();
  copy(loadEnds(graph_, in, layout, operand, debugContext_));
  PlanProgram program(ring, matrix, prog_, debugContext_);
  if (extras.squares)
    program.square(operand.dim(0));
  if (extras.root)
    program.zeroUnlessAt(ring.positionOfRank(*extras.root), operand.dim(0));
  if (nested) {
    const auto [before, after] = splitAtResult(plan);
    program.run(before, {reduction.combination, 1});
    const Tensor part = matrix.rows(0, 1).flatten();
    reduceEverywhere(outerGroups(groups, chosen.inner), part, part, reduction, {});
    program.run(after, reduction);
  } else {
    program.run(plan, reduction);
  }
  copy(storeEnds(operand, layout, out));
}

void Collectives::allReduce(const Tensors &in, const Tensors &out, CollectiveOperator op) {
  const Tensor from = flat(in), to = flat(out);
  checkReduces(function_, op, from.elementType());
  if (from.numElements() == 0)
    return;
  if (op == CollectiveOperator::LOCAL || (members() == 1 && op != CollectiveOperator::SQUARE_ADD))
    copy(from, to);
  else if (members() == 1)
    squareAlone(from, to);
  else
    reduceEverywhere(groups_, from, to, reductionOf(op),
                     {method_, op == CollectiveOperator::SQUARE_ADD});
}

void Collectives::broadcast(const Tensors &in, const Tensors &out, unsigned root) {
  if (root >= members())
    refuse(function_, "root " + std::to_string(root) + " is not one of the " +
                          std::to_string(members()) + " replicas of a group");
  Tensor from = flat(in), to = flat(out);
  if (members() == 1 || from.numElements() == 0)
    return copy(from, to);
  const poplar::Type bits = bitsOf(graph_, from.elementType());
  reduceEverywhere(groups_, from.reinterpret(bits), to.reinterpret(bits), {Combination::BitOr, 1},
                   {method_, false, root});
}

Tensor Collectives::scatterRowsAtOnce(const Choice &chosen, const Groups &groups,
                                      const Layout &layout, const Load &load,
                                      const Scatter &scatter) {
  const auto members = static_cast<unsigned>(groups.front().size());
  const Ring ring(groups, chosen.order);
  const Plan plan = reduceScatterPlan(chosen.method, members);
  const Matrix matrix(graph_, scatter.type, layout, members, plan.rows - members, debugContext_);
  load(byRank(matrix.main(), ring));
  PlanProgram program(ring, matrix, prog_, debugContext_);
  if (scatter.squares)
    program.square(members);
  if (scatter.local)
    program.run({members, members, false, {plan.steps.front()}}, {});
  else if (members > 1)
    program.run(plan, scatter.reduction);
  return matrix.main()[0];
}

Tensor Collectives::scatterRows(const Groups &groups, const Layout &layout, const Load &load,
                                const Scatter &scatter) {
  const std::size_t members = groups.front().size(), columns = layout.columns;
  Task work = task(Collective::ReduceScatter, groups, layout, members, scatter.type);
  work.nestable = scatter.nestable && !scatter.local;
  const Choice chosen = choose(graph_.getTarget(), work, scatter.method);
  if (chosen.inner == 0)
    return scatterRowsAtOnce(chosen, groups, layout, load, scatter);
  // The row of a member within its inner group has a part for each member of its outer group.
  const std::size_t inner = chosen.inner, outer = members / inner;
  const Tensor row = scatterRows(innerGroups(groups, chosen.inner), repeated(layout, outer),
                                 [&](const Tensor &rows) {
                                   load(rows.reshape({inner, outer, columns})
                                            .dimShuffle({1, 0, 2})
                                            .reshape({members, columns}));
                                 },
                                 {.type = scatter.type,
                                  .reduction = {scatter.reduction.combination, 1},
                                  .squares = scatter.squares,
                                  .nestable = false});
  return scatterRows(outerGroups(groups, chosen.inner), layout,
                     [&](const Tensor &rows) { copy(row, rows.flatten()); },
                     {.type = scatter.type, .reduction = scatter.reduction, .nestable = false});
}

Tensors Collectives::reduceScatter(const Tensors &in, CollectiveOperator op) {
  const Tensor operand = flat(in);
  const poplar::Type type = operand.elementType();
  checkReduces(function_, op, type);
  std::vector<Segment> segments;
  for (std::size_t at = 0; const Tensor &t : in) {
    if (t.rank() != 1)
      refuse(function_, "the tensor must have rank 1, not shape " + t.shapeToString());
    segments.push_back({at, at + t.numElements()});
    at += t.numElements();
  }
  std::vector<std::size_t> columns;
  const Layout layout =
      orderedLayout(graph_.getTileMapping(operand), graph_.getTarget().getTilesPerIPU(), segments,
                    members(), columns);
  Tensors out;
  if (layout.columns == 0) {
    for (std::size_t i = 0; i < in.size(); ++i)
      out.push_back(graph_.addVariable(type, {0}, debugContext_));
    return out;
  }
  const Tensor part = scatterRows(
      groups_, layout,
      [&](const Tensor &rows) { copy(loadEnds(graph_, operand, layout, rows, debugContext_)); },
      {.type = type,
       .reduction = reductionOf(op),
       .squares = op == CollectiveOperator::SQUARE_ADD,
       .local = op == CollectiveOperator::LOCAL,
       .method = method_});
  const Matrix result(graph_, type, layout, 1, 0, {debugContext_, "result"});
  copy(part, result.main().flatten());
  for (std::size_t i = 0, at = 0; i < in.size(); at += columns[i++])
    out.push_back(result.main()[0].slice(at, at + columns[i]));
  return out;
}

Tensor Collectives::gatherRows(const Groups &groups, const Tensor &operand,
                               std::optional<Method> method, bool nestable) {
  const std::size_t members = groups.front().size(), elements = operand.numElements();
  const Layout layout = rowLayout(graph_.getTileMapping(operand));
  Task work = task(Collective::AllGather, groups, layout, 1, operand.elementType());
  work.nestable = nestable;
  const Choice chosen = choose(graph_.getTarget(), work, method);
  if (chosen.inner > 0) {
    const std::size_t inner = chosen.inner, outer = members / inner;
    const Tensor across =
        gatherRows(outerGroups(groups, chosen.inner), operand, std::nullopt, false);
    return gatherRows(innerGroups(groups, chosen.inner), across.flatten(), std::nullopt, false)
        .reshape({inner, outer, elements})
        .dimShuffle({1, 0, 2})
        .reshape({members, elements});
  }
  const Ring ring(groups, chosen.order);
  const Plan plan = allGatherPlan(chosen.method, static_cast<unsigned>(members));
  const Matrix matrix(graph_, operand.elementType(), layout, members, 0, debugContext_);
  copy(operand.expand({0}), matrix.rows(0, 1));
  if (members > 1)
    PlanProgram(ring, matrix, prog_, debugContext_).run(plan, {});
  return byRank(matrix.main(), ring);
}

Tensors Collectives::allGather(const Tensors &in) {
  const Tensor operand = flat(in);
  const poplar::Type type = operand.elementType();
  const auto withMembers = [&](const Tensor &t) {
    std::vector<std::size_t> shape = t.shape();
    shape.insert(shape.begin(), members());
    return shape;
  };
  Tensors out;
  if (operand.numElements() == 0) {
    for (const Tensor &t : in)
      out.push_back(graph_.addVariable(type, withMembers(t), debugContext_));
    return out;
  }
  const Tensor rows = gatherRows(groups_, operand, method_, true);
  for (std::size_t at = 0; const Tensor &t : in) {
    out.push_back(rows.slice(at, at + t.numElements(), 1).reshape(withMembers(t)));
    at += t.numElements();
  }
  return out;
}

Tensor Collectives::allToAll(const Tensor &in) {
  if (in.rank() == 0 || in.dim(0) != members())
    refuse(function_, "the first dimension must be the size of the group, " +
                          std::to_string(members()) + ", but the shape is " + in.shapeToString());
  if (in.numElements() == 0 || members() == 1) {
    const Tensor out = similar(graph_, in, debugContext_);
    copy(in, out);
    return out;
  }
  const Tensor operand = in.flatten();
  std::vector<std::size_t> columns;
  const auto mapping = graph_.getTileMapping(operand);
  const Layout layout = orderedLayout(mapping, static_cast<unsigned>(mapping.size()),
                                      {{0, operand.numElements()}}, members(), columns);
  const Choice chosen =
      choose(graph_.getTarget(),
             task(Collective::AllToAll, groups_, layout, members(), in.elementType()), method_);
  const Ring ring(groups_, chosen.order);
  const Plan plan = allToAllPlan(members());
  const Matrix matrix(graph_, in.elementType(), layout, members(), members(), debugContext_);
  copy(loadEnds(graph_, operand, layout, byRank(matrix.main(), ring), debugContext_));
  PlanProgram(ring, matrix, prog_, debugContext_).run(plan, {});
  return byRank(matrix.extra(), ring).reshape(in.shape());
}

/// Calls \p one for the tensors of each type, and returns its results in the order of \p in.
template <typename One> Tensors ofEachType(const Tensors &in, const One &one) {
  Tensors out(in.size());
  for (const Batch &batch : byType(in, {})) {
    const Tensors results = one(batch.in);
    for (std::size_t i = 0; i < results.size(); ++i)
      out[batch.places[i]] = results[i];
  }
  return out;
}

void store(Collectives &collectives, const char *function, const Tensors &results,
           const Tensors &out) {
  checkOutputs(function, out, shapesOf(results), results);
  for (std::size_t i = 0; i < out.size(); ++i)
    collectives.copy(results[i], out[i]);
}

Tensors allSimilar(Graph &graph, const Tensors &in, const DebugContext &debugContext) {
  Tensors out;
  for (const Tensor &t : in)
    out.push_back(similar(graph, t, debugContext));
  return out;
}

void allReduce(const char *function, Graph &graph, const Tensors &in, const Tensors &out,
               CollectiveOperator op, Sequence &prog, const CommGroup &group,
               const DebugContext &debugContext, const OptionFlags &options) {
  checkOutputs(function, out, shapesOf(in), in);
  Collectives collectives(function, graph, prog, group, debugContext, options);
  for (const Batch &batch : byType(in, out))
    collectives.allReduce(batch.in, batch.out, op);
}

} // namespace

Tensors allReduceCrossReplica(Graph &graph, const Tensors &data, CollectiveOperator op,
                              Sequence &prog, const CommGroup &group,
                              const DebugContext &debugContext, const OptionFlags &options) {
  const Tensors out = allSimilar(graph, data, {debugContext, "allReduce"});
  allReduce("allReduce", graph, data, out, op, prog, group, debugContext, options);
  return out;
}
Tensor allReduceCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op,
                             Sequence &prog, const CommGroup &group,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return allReduceCrossReplica(graph, Tensors{data}, op, prog, group, debugContext, options)[0];
}

void allReduceToDestinationCrossReplica(Graph &graph, const Tensors &data,
                                        const Tensors &destination, CollectiveOperator op,
                                        Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allReduce("allReduceToDestination", graph, data, destination, op, prog, group, debugContext,
            options);
}
void allReduceToDestinationCrossReplica(Graph &graph, const Tensor &data, const Tensor &destination,
                                        CollectiveOperator op, Sequence &prog,
                                        const CommGroup &group, const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allReduceToDestinationCrossReplica(graph, Tensors{data}, Tensors{destination}, op, prog, group,
                                     debugContext, options);
}

void allReduceInPlaceCrossReplica(Graph &graph, const Tensors &data, CollectiveOperator op,
                                  Sequence &prog, const CommGroup &group,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  allReduce("allReduceInPlace", graph, data, data, op, prog, group, debugContext, options);
}
void allReduceInPlaceCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op,
                                  Sequence &prog, const CommGroup &group,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  allReduceInPlaceCrossReplica(graph, Tensors{data}, op, prog, group, debugContext, options);
}

Tensors reduceScatterCrossReplica(Graph &graph, const Tensors &data, CollectiveOperator op,
                                  Sequence &prog, const CommGroup &group,
                                  const DebugContext &debugContext, const OptionFlags &options) {
  Collectives collectives("reduceScatter", graph, prog, group, debugContext, options);
  return ofEachType(data, [&](const Tensors &in) { return collectives.reduceScatter(in, op); });
}
Tensor reduceScatterCrossReplica(Graph &graph, const Tensor &data, CollectiveOperator op,
                                 Sequence &prog, const CommGroup &group,
                                 const DebugContext &debugContext, const OptionFlags &options) {
  return reduceScatterCrossReplica(graph, Tensors{data}, op, prog, group, debugContext, options)[0];
}

void reduceScatterToDestinationCrossReplica(Graph &graph, const Tensors &data,
                                            const Tensors &destination, CollectiveOperator op,
                                            Sequence &prog, const CommGroup &group,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  const char *const function = "reduceScatterToDestination";
  Collectives collectives(function, graph, prog, group, debugContext, options);
  store(collectives, function,
        ofEachType(data, [&](const Tensors &in) { return collectives.reduceScatter(in, op); }),
        destination);
}
void reduceScatterToDestinationCrossReplica(Graph &graph, const Tensor &data,
                                            const Tensor &destination, CollectiveOperator op,
                                            Sequence &prog, const CommGroup &group,
                                            const DebugContext &debugContext,
                                            const OptionFlags &options) {
  reduceScatterToDestinationCrossReplica(graph, Tensors{data}, Tensors{destination}, op, prog,
                                         group, debugContext, options);
}

Tensors allGatherCrossReplica(Graph &graph, const Tensors &data, Sequence &prog,
                              const CommGroup &group, const DebugContext &debugContext,
                              const OptionFlags &options) {
  Collectives collectives("allGather", graph, prog, group, debugContext, options);
  return ofEachType(data, [&](const Tensors &in) { return collectives.allGather(in); });
}
Tensor allGatherCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group, const DebugContext &debugContext,
                             const OptionFlags &options) {
  return allGatherCrossReplica(graph, Tensors{data}, prog, group, debugContext, options)[0];
}

void allGatherToDestinationCrossReplica(Graph &graph, const Tensors &data,
                                        const Tensors &destination, Sequence &prog,
                                        const CommGroup &group, const DebugContext &debugContext,
                                        const OptionFlags &options) {
  const char *const function = "allGatherToDestination";
  Collectives collectives(function, graph, prog, group, debugContext, options);
  store(collectives, function,
        ofEachType(data, [&](const Tensors &in) { return collectives.allGather(in); }),
        destination);
}
void allGatherToDestinationCrossReplica(Graph &graph, const Tensor &data, const Tensor &destination,
                                        Sequence &prog, const CommGroup &group,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  allGatherToDestinationCrossReplica(graph, Tensors{data}, Tensors{destination}, prog, group,
                                     debugContext, options);
}

Tensors allToAllCrossReplica(Graph &graph, const Tensors &data, Sequence &prog,
                             const CommGroup &group, const DebugContext &debugContext,
                             const OptionFlags &options) {
  Collectives collectives("allToAll", graph, prog, group, debugContext, options);
  Tensors out;
  for (const Tensor &t : data)
    out.push_back(collectives.allToAll(t));
  return out;
}
Tensor allToAllCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                            const CommGroup &group, const DebugContext &debugContext,
                            const OptionFlags &options) {
  return allToAllCrossReplica(graph, Tensors{data}, prog, group, debugContext, options)[0];
}

void broadcastToDestinationCrossReplica(Graph &graph, const Tensors &data,
                                        const Tensors &destination, Sequence &prog,
                                        const CommGroup &group, unsigned root,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  checkOutputs("broadcastToDestination", destination, shapesOf(data), data);
  Collectives collectives("broadcast", graph, prog, group, debugContext, options);
  for (const Batch &batch : byType(data, destination))
    collectives.broadcast(batch.in, batch.out, root);
}
void broadcastToDestinationCrossReplica(Graph &graph, const Tensor &data, const Tensor &destination,
                                        Sequence &prog, const CommGroup &group, unsigned root,
                                        const DebugContext &debugContext,
                                        const OptionFlags &options) {
  broadcastToDestinationCrossReplica(graph, Tensors{data}, Tensors{destination}, prog, group, root,
                                     debugContext, options);
}
Tensors broadcastCrossReplica(Graph &graph, const Tensors &data, Sequence &prog,
                              const CommGroup &group, unsigned root,
                              const DebugContext &debugContext, const OptionFlags &options) {
  const Tensors out = allSimilar(graph, data, {debugContext, "broadcast"});
  broadcastToDestinationCrossReplica(graph, data, out, prog, group, root, debugContext, options);
  return out;
}
Tensor broadcastCrossReplica(Graph &graph, const Tensor &data, Sequence &prog,
                             const CommGroup &group, unsigned root,
                             const DebugContext &debugContext, const OptionFlags &options) {
  return broadcastCrossReplica(graph, Tensors{data}, prog, group, root, debugContext, options)[0];
}

} // namespace gcl
