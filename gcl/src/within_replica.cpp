#include "choice.hpp"
#include "collective_options.hpp"
#include "layout.hpp"
#include "matrix.hpp"
#include "plan_program.hpp"
#include "refusals.hpp"
#include "similar.hpp"

#include <algorithm>
#include <gcl/Collectives.hpp>
#include <numeric>
#include <string>

namespace gcl {
namespace {

using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::OptionFlags;
using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::Execute;
using poplar::program::Sequence;
using Mapping = poplar::Graph::TileToTensorMapping;

/// Returns the IPU on which row \p i of a collective lies, or 0 for an empty row.
unsigned ipuOf(const char *function, const Graph &graph, const Tensor &row, unsigned i) {
  const unsigned tilesPerIpu = graph.getTarget().getTilesPerIPU();
  const Mapping mapping = graph.getTileMapping(row);
  unsigned ipu = 0;
  bool found = false;
  for (unsigned tile = 0; tile < mapping.size(); ++tile) {
    if (mapping[tile].empty())
      continue;
    if (found && ipu != tile / tilesPerIpu)
      refuse(function, "row " + std::to_string(i) + " lies on IPUs " + std::to_string(ipu) +
                           " and " + std::to_string(tile / tilesPerIpu) +
                           ", but each row must lie on one IPU");
    ipu = tile / tilesPerIpu;
    found = true;
  }
  return ipu;
}

/// Carries out collectives whose members are the IPUs of one replica. Their numbers are known when
/// the graph is made, so that reordering rows only renumbers them.
class IpuCollective {
public:
  /// \param tensor  shape [members][n], with each row on one IPU
  IpuCollective(const char *function, Graph &graph, const Tensor &tensor, Sequence &prog,
                const DebugContext &debugContext)
      : graph_(graph), prog_(prog), debugContext_(debugContext, function) {
    if (tensor.rank() != 2 || tensor.dim(0) == 0)
      refuse(function, "the tensor must have shape [IPUs][n], not " + tensor.shapeToString());
    for (unsigned i = 0; i < tensor.dim(0); ++i) {
      ipus_.push_back(ipuOf(function, graph, tensor[i], i));
      if (tensor.dim(1) > 0 && std::count(ipus_.begin(), ipus_.end(), ipus_.back()) > 1)
        refuse(function, "two rows lie on IPU " + std::to_string(ipus_.back()));
    }
  }

  unsigned members() const { return static_cast<unsigned>(ipus_.size()); }

  Choice choice(Collective collective, std::size_t bytes, unsigned tiles,
                std::optional<Method> method) const {
    const unsigned ipusPerReplica = graph_.getTarget().getNumIPUs();
    Task task{collective, {}, 1, bytes, std::max(1u, tiles)};
    for (unsigned replica = 0; replica < graph_.getReplicationFactor(); ++replica) {
      task.groups.emplace_back();
      for (const unsigned ipu : ipus_)
        task.groups.back().push_back(replica * ipusPerReplica + ipu);
    }
    task.nestable = false; // one plan serves all
    return choose(graph_.getTarget(), task, method);
  }

  /// Makes the rows of all members: \p layout, which describes one IPU, on each of them.
  void begin(const poplar::Type &type, const Layout &layout, const Plan &plan,
             const std::vector<unsigned> &order) {
    order_ = order;
    const unsigned tilesPerIpu = graph_.getTarget().getTilesPerIPU();
    for (unsigned position = 0; position < members(); ++position) {
      Layout own = layout;
      own.columnsOnTile.assign(graph_.getTarget().getNumTiles(), {});
      for (unsigned tile = 0; tile < layout.columnsOnTile.size(); ++tile)
        own.columnsOnTile[ipus_[order[position]] * tilesPerIpu + tile % tilesPerIpu] =
            layout.columnsOnTile[tile];
      matrices_.emplace_back(graph_, type, own, plan.members, plan.rows - plan.members,
                             debugContext_);
      rowOf_.emplace_back(plan.rows);
      std::iota(rowOf_.back().begin(), rowOf_.back().end(), 0u);
    }
  }
  /// Returns rows [first, first + count) of a member, as the plan numbers them now.
  Tensor rows(unsigned position, unsigned first, unsigned count) const {
    std::vector<Tensor> all;
    for (unsigned row = first; row < first + count; ++row)
      all.push_back(matrices_[position].rows(rowOf_[position][row], 1));
    return poplar::concat(all);
  }

  void run(const Plan &plan, Combination combination) {
    for (const Step &step : plan.steps) {
      for (const unsigned first : step.reorders)
        reorder(first, plan.members);
      move(step.moves);
      if (!step.folds.empty())
        fold(step.folds, combination);
    }
  }
  void copy(const std::vector<Tensor> &from, const std::vector<Tensor> &to) {
    if (!from.empty())
      prog_.add(Copy(poplar::concat(from), poplar::concat(to), false, debugContext_));
  }
  Graph &graph() { return graph_; }
  const DebugContext &debugContext() const { return debugContext_; }
  unsigned ipuOfRow(unsigned row) const { return ipus_[row]; }

private:
  void reorder(unsigned first, unsigned count) {
    for (unsigned position = 0; position < members(); ++position) {
      std::vector<unsigned> &rows = rowOf_[position];
      const std::vector<unsigned> before = rows;
      for (unsigned i = 0; i < count; ++i)
        rows[first + i] = before[first + (position + count - i) % count];
    }
  }
  Interval columns(Part part) const {
    const std::size_t all = matrices_.front().columns();
    return {part == Part::SecondHalf ? all / 2 : 0, part == Part::FirstHalf ? all / 2 : all};
  }
  void move(const std::vector<Move> &moves) {
    std::vector<Tensor> from, to;
    for (const Move &move : moves) {
      const Interval part = columns(move.part);
      for (unsigned position = 0; position < members(); ++position) {
        from.push_back(rows(position, move.from, 1).slice(part, 1).flatten());
        to.push_back(
            rows((position + move.shift) % members(), move.to, 1).slice(part, 1).flatten());
      }
    }
    copy(from, to);
  }
  void fold(const std::vector<Fold> &folds, Combination combination) {
    const poplar::ComputeSet set = graph_.addComputeSet({debugContext_, "combine"});
    for (const Fold &fold : folds)
      for (unsigned position = 0; position < members(); ++position) {
        const Tensor into = rows(position, fold.into, 1);
        const Tensor parts = rows(position, fold.first, fold.rows);
        const Interval part = columns(fold.part);
        matrices_[position].forEachTile(
            part.begin(), part.end(), [&](unsigned tile, const auto &own) {
              addCombine(graph_, set, tile, pieces(into, own), pieces(parts, own), combination);
            });
      }
    prog_.add(Execute(set, debugContext_));
  }

  Graph &graph_;
  Sequence &prog_;
  DebugContext debugContext_;
  std::vector<unsigned> ipus_, order_;
  std::vector<Matrix> matrices_;             ///< by position
  std::vector<std::vector<unsigned>> rowOf_; ///< by position: the place of each row of the plan
};

void checkOperator(const char *function, CollectiveOperator op, const poplar::Type &type) {
  if (op == CollectiveOperator::MEAN || op == CollectiveOperator::SQUARE_ADD)
    refuse(function, "MEAN and SQUARE_ADD are not reductions between the IPUs of a replica");
  checkReduces(function, op, type);
}

/// Returns the layout of one row's parts on its IPU; tiles are numbered within the IPU.
Layout partsOf(const Graph &graph, const Tensor &row, unsigned ipu, unsigned members) {
  const unsigned tilesPerIpu = graph.getTarget().getTilesPerIPU();
  const Mapping all = graph.getTileMapping(row);
  Mapping own(tilesPerIpu);
  for (unsigned tile = 0; tile < tilesPerIpu && ipu * tilesPerIpu + tile < all.size(); ++tile)
    own[tile] = all[ipu * tilesPerIpu + tile];
  std::vector<std::size_t> columns;
  return orderedLayout(own, tilesPerIpu, {{0, row.numElements()}}, members, columns);
}

unsigned tilesOf(const Layout &layout) {
  return static_cast<unsigned>(std::count_if(layout.columnsOnTile.begin(),
                                             layout.columnsOnTile.end(),
                                             [](const auto &tile) { return !tile.empty(); }));
}

/// Copies the parts of all rows into the rows of a plan.
void load(IpuCollective &collective, const Tensor &tensor, const Layout &layout,
          const std::vector<unsigned> &order) {
  const unsigned members = collective.members();
  std::vector<unsigned> positions(members); // by rank
  for (unsigned position = 0; position < members; ++position)
    positions[order[position]] = position;
  std::vector<Tensor> from, to;
  for (unsigned position = 0; position < members; ++position) {
    std::vector<Tensor> byRank;
    for (unsigned rank = 0; rank < members; ++rank)
      byRank.push_back(collective.rows(position, positions[rank], 1));
    const CopyEnds ends = loadEnds(collective.graph(), tensor[order[position]], layout,
                                   poplar::concat(byRank), collective.debugContext());
    from.push_back(ends.from);
    to.push_back(ends.to);
  }
  collective.copy(from, to);
}

} // namespace

Chunks reduceScatterWithinReplica(Graph &graph, const Tensor &toReduce, CollectiveOperator op,
                                  Sequence &prog, const DebugContext &debugContext,
                                  const OptionFlags &options) {
  const char *const function = "reduceScatterWithinReplica";
  checkOperator(function, op, toReduce.elementType());
  const std::optional<Method> method = parseMethod(options);
  IpuCollective collective(function, graph, toReduce, prog, debugContext);
  const unsigned members = collective.members();
  Chunks chunks(members);
  chunks.originalInput = toReduce;
  const std::size_t elements = toReduce.dim(1), part = (elements + members - 1) / members;
  std::vector<Tensor> results(members, toReduce[0].slice(0, 0));
  if (elements > 0 && op == CollectiveOperator::LOCAL) {
    for (unsigned rank = 0; rank < members; ++rank)
      results[rank] = toReduce[rank];
  } else if (elements > 0) {
    const Layout layout = partsOf(graph, toReduce[0], collective.ipuOfRow(0), members);
    const Choice chosen = collective.choice(
        Collective::ReduceScatter,
        layout.columns * members * graph.getTarget().getTypeSize(toReduce.elementType()),
        tilesOf(layout), method);
    const Plan plan = reduceScatterPlan(chosen.method, members);
    collective.begin(toReduce.elementType(), layout, plan, chosen.order);
    load(collective, toReduce, layout, chosen.order);
    collective.run(plan, combinationOf(op));
    for (unsigned position = 0; position < members; ++position)
      results[chosen.order[position]] = collective.rows(position, 0, 1)[0];
  }
  for (unsigned rank = 0; rank < members; ++rank) {
    const std::size_t begin = std::min(elements, rank * part);
    const std::size_t end = std::min(elements, begin + part);
    chunks.chunks[rank] = {op == CollectiveOperator::LOCAL && elements > 0
                               ? results[rank].slice(begin, end)
                               : results[rank].slice(0, end - begin),
                           rank, 0};
  }
  return chunks;
}

Tensor allGatherWithinReplica(Graph &graph, const Chunks &toGather, Sequence &prog,
                              const DebugContext &debugContext, const OptionFlags &options) {
  parseMethod(options);
  std::vector<Chunk> chunks = toGather.chunks;
  if (chunks.empty())
    refuse("allGatherWithinReplica", "there are no chunks");
  std::sort(chunks.begin(), chunks.end(), [](const Chunk &a, const Chunk &b) {
    return a.offset != b.offset ? a.offset < b.offset : a.index < b.index;
  });
  std::vector<Tensor> parts;
  for (const Chunk &chunk : chunks)
    parts.push_back(chunk.tensor.flatten());
  const Tensor all = poplar::concat(parts);
  const unsigned tilesPerIpu = graph.getTarget().getTilesPerIPU();
  const unsigned ipus = graph.getTarget().getNumIPUs();
  // On each IPU, elements that are already there keep their tiles; the others get the corresponding
  // tiles.
  const Tensor out =
      graph.addVariable(all.elementType(), {ipus, all.numElements()}, {debugContext, "gathered"});
  const Mapping mapping = graph.getTileMapping(all);
  for (unsigned ipu = 0; ipu < ipus; ++ipu)
    for (unsigned tile = 0; tile < mapping.size(); ++tile)
      for (const Interval &interval : mapping[tile])
        graph.setTileMapping(out[ipu].slice(interval), ipu * tilesPerIpu + tile % tilesPerIpu);
  if (all.numElements() > 0)
    prog.add(Copy(all.expand({0}).broadcast(ipus, 0), out, false, {debugContext, "allGather"}));
  return out;
}

Tensor allReduceWithinReplica(Graph &graph, const Tensor &toReduce, CollectiveOperator op,
                              Sequence &prog, const DebugContext &debugContext,
                              const OptionFlags &options) {
  const char *const function = "allReduceWithinReplica";
  checkOperator(function, op, toReduce.elementType());
  const std::optional<Method> method = parseMethod(options);
  IpuCollective collective(function, graph, toReduce, prog, debugContext);
  const unsigned members = collective.members();
  const Tensor out = similar(graph, toReduce, {debugContext, function});
  if (toReduce.numElements() == 0)
    return out;
  if (op == CollectiveOperator::LOCAL || members == 1) {
    prog.add(Copy(toReduce, out, false, {debugContext, function}));
    return out;
  }
  const Layout layout = partsOf(graph, toReduce[0], collective.ipuOfRow(0), members);
  const std::size_t bytes =
      layout.columns * members * graph.getTarget().getTypeSize(toReduce.elementType());
  const Choice chosen = collective.choice(Collective::AllReduce, bytes, tilesOf(layout), method);
  // A whole operand is gathered from parts, too, because direct senders send all their data.
  const Plan plan =
      allReducePlan(chosen.method == Method::Broadcast ? Method::Direct : chosen.method, members);
  collective.begin(toReduce.elementType(), layout, plan, chosen.order);
  load(collective, toReduce, layout, chosen.order);
  collective.run(plan, combinationOf(op));
  std::vector<Tensor> from, to;
  std::vector<unsigned> positions(members);
  for (unsigned position = 0; position < members; ++position)
    positions[chosen.order[position]] = position;
  for (unsigned position = 0; position < members; ++position) {
    std::vector<Tensor> byRank;
    for (unsigned rank = 0; rank < members; ++rank)
      byRank.push_back(collective.rows(position, positions[rank], 1));
    const CopyEnds ends = storeEnds(poplar::concat(byRank), layout, out[chosen.order[position]]);
    from.push_back(ends.from);
    to.push_back(ends.to);
  }
  collective.copy(from, to);
  return out;
}

} // namespace gcl
