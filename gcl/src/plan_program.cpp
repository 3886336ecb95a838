#include "plan_program.hpp"

#include <poputil/VertexTemplates.hpp>
#include <poputil/exceptions.hpp>
#include <tile_work/codelet_groups.hpp>
#include <tile_work/element_bits.hpp>
#include <tile_work/worker_cycles.hpp>

namespace gcl {
namespace {

using poplar::Tensor;
using poplar::program::Copy;
using poplar::program::CrossReplicaCopy;
using poplar::program::Execute;
using poputil::templateVertex;

const char *operationName(Combination combination) {
  switch (combination) {
  case Combination::Add:
    return "gcl::Add";
  case Combination::Multiply:
    return "gcl::Multiply";
  case Combination::Minimum:
    return "gcl::Minimum";
  case Combination::Maximum:
    return "gcl::Maximum";
  case Combination::And:
    return "gcl::And";
  case Combination::Or:
    return "gcl::Or";
  case Combination::BitOr:
    break;
  }
  return "gcl::BitOr";
}

void addCodelets(poplar::Graph &graph) {
  using copse::tile_work::addCodeletGroup;
  addCodeletGroup(graph, "gcl", "members", "gcl::Position");
  addCodeletGroup(graph, "gcl", "combine", "gcl::Combine<gcl::Add,float>");
}

/// Adds a vertex whose workers share \p bytes, with a cycle estimate.
poplar::VertexRef addVertex(poplar::Graph &graph, poplar::ComputeSet set, const std::string &type,
                            unsigned tile, std::size_t bytes, unsigned instructionsForWord) {
  const poplar::VertexRef v = graph.addVertex(set, type);
  const poplar::Target &target = graph.getTarget();
  const std::size_t words = copse::tile_work::largestWorkerShare(target, bytes, 8) / 8;
  graph.setTileMapping(v, tile);
  graph.setPerfEstimate(
      v, copse::tile_work::workerCycles(target, copse::tile_work::kVertexInstructions +
                                                    words * instructionsForWord));
  return v;
}

std::vector<unsigned> tilesOf(const Matrix &matrix) {
  std::vector<unsigned> tiles;
  matrix.forEachTile(0, matrix.columns(),
                     [&](unsigned tile, const auto &) { tiles.push_back(tile); });
  return tiles;
}

} // namespace

void addCombine(poplar::Graph &graph, poplar::ComputeSet set, unsigned tile, const Tensor &into,
                const Tensor &parts, Combination combination) {
  addCodelets(graph);
  const poplar::Type type = into.elementType();
  const poplar::VertexRef v =
      addVertex(graph, set, templateVertex("gcl::Combine", operationName(combination), type), tile,
                parts.numElements() * graph.getTarget().getTypeSize(type), 3);
  graph.connect(v["into"], into);
  graph.connect(v["parts"], parts);
}

Combination combinationOf(CollectiveOperator op) {
  switch (op) {
  case CollectiveOperator::MUL:
    return Combination::Multiply;
  case CollectiveOperator::MIN:
    return Combination::Minimum;
  case CollectiveOperator::MAX:
    return Combination::Maximum;
  case CollectiveOperator::LOGICAL_AND:
    return Combination::And;
  case CollectiveOperator::LOGICAL_OR:
    return Combination::Or;
  case CollectiveOperator::ADD:
  case CollectiveOperator::MEAN:
  case CollectiveOperator::SQUARE_ADD:
  case CollectiveOperator::LOCAL:
    break;
  }
  return Combination::Add;
}

poplar::Type bitsOf(const poplar::Graph &graph, const poplar::Type &type) {
  if (const auto bits = copse::tile_work::elementBits(graph, type))
    return *bits;
  throw poputil::poplibs_error("collectives move elements of 1, 2 and 4 bytes, not " +
                               type.toString());
}

Positions::Positions(poplar::Graph &graph, const Ring &ring, const std::vector<unsigned> &tiles,
                     poplar::program::Sequence &prog, const poplar::DebugContext &debugContext) {
  addCodelets(graph);
  const unsigned tilesPerIpu = graph.getTarget().getTilesPerIPU();
  const poplar::ComputeSet set = graph.addComputeSet({debugContext, "position"});
  std::vector<Tensor> from, to;
  std::map<unsigned, Tensor> ofIpu;
  for (const unsigned tile : tiles) {
    Tensor &source = ofIpu[tile / tilesPerIpu];
    if (source.valid()) {
      onTile_[tile] = graph.addVariable(poplar::UNSIGNED_INT, {}, {debugContext, "position"});
      graph.setTileMapping(onTile_[tile], tile);
      from.push_back(source.reshape({1}));
      to.push_back(onTile_[tile].reshape({1}));
      continue;
    }
    const Tensor replica = graph.addReplicationIndexConstant({debugContext, "replica"});
    const Tensor table = graph.addConstant(poplar::UNSIGNED_INT, {ring.positions().size()},
                                           poplar::ArrayRef<unsigned>(ring.positions()),
                                           {debugContext, "positions"});
    source = graph.addVariable(poplar::UNSIGNED_INT, {}, {debugContext, "position"});
    for (const Tensor &t : {replica, table, source})
      graph.setTileMapping(t, tile);
    const poplar::VertexRef v = graph.addVertex(
        set, "gcl::Position", {{"replica", replica}, {"positions", table}, {"position", source}});
    graph.setTileMapping(v, tile);
    graph.setPerfEstimate(v, 10);
    onTile_[tile] = source;
  }
  prog.add(Execute(set, {debugContext, "position"}));
  if (!from.empty())
    prog.add(Copy(poplar::concat(from), poplar::concat(to), false, {debugContext, "position"}));
}

PlanProgram::PlanProgram(const Ring &ring, const Matrix &matrix, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext)
    : ring_(ring), matrix_(matrix), graph_(matrix.graph()), prog_(prog),
      debugContext_(debugContext), positions_(graph_, ring, tilesOf(matrix), prog, debugContext) {}

poplar::ComputeSet PlanProgram::computeSet(const std::string &name) {
  return graph_.addComputeSet({debugContext_, name});
}

poplar::VertexRef PlanProgram::addVertex(poplar::ComputeSet set, const std::string &type,
                                         unsigned tile, std::size_t elements,
                                         unsigned instructionsForWord) {
  return gcl::addVertex(graph_, set, type, tile,
                        elements * graph_.getTarget().getTypeSize(matrix_.type()),
                        instructionsForWord);
}

void PlanProgram::execute(poplar::ComputeSet set) { prog_.add(Execute(set, debugContext_)); }

std::size_t PlanProgram::beginOf(Part part) const {
  return part == Part::SecondHalf ? matrix_.columns() / 2 : 0;
}

std::size_t PlanProgram::endOf(Part part) const {
  return part == Part::FirstHalf ? matrix_.columns() / 2 : matrix_.columns();
}

void PlanProgram::run(const Plan &plan, const Reduction &reduction) {
  for (const Step &step : plan.steps) {
    if (!step.reorders.empty())
      reorder(step.reorders, plan.members);
    for (const auto &[from, to] : step.copies)
      prog_.add(Copy(matrix_.rows(from, 1), matrix_.rows(to, 1), false, {debugContext_, "own"}));
    move(step.moves);
    if (!step.folds.empty())
      fold(step.folds, reduction.combination);
    if (step.finishes && reduction.divisor > 1)
      divide(reduction.divisor);
  }
}

void PlanProgram::reorder(const std::vector<unsigned> &blocks, unsigned members) {
  const poplar::Type bits = bitsOf(graph_, matrix_.type());
  const poplar::ComputeSet set = computeSet("reorder");
  for (const unsigned first : blocks) {
    const Tensor rows = matrix_.rows(first, members).reinterpret(bits);
    matrix_.forEachTile(0, matrix_.columns(), [&](unsigned tile, const auto &columns) {
      const Tensor own = pieces(rows, columns);
      const poplar::VertexRef v =
          addVertex(set, templateVertex("gcl::ReorderRows", bits), tile, own.numElements(), 3);
      graph_.connect(v["rows"], own);
      graph_.connect(v["position"], positions_.on(tile));
      graph_.setInitialValue(v["count"], members);
    });
  }
  execute(set);
}

void PlanProgram::move(const std::vector<Move> &moves) {
  for (const Move &move : moves) {
    const std::size_t begin = beginOf(move.part), end = endOf(move.part);
    if (begin < end)
      prog_.add(CrossReplicaCopy(matrix_.rows(move.from, 1).slice(begin, end, 1),
                                 matrix_.rows(move.to, 1).slice(begin, end, 1),
                                 ring_.shift(move.shift), {debugContext_, "exchange"}));
  }
}

void PlanProgram::fold(const std::vector<Fold> &folds, Combination combination) {
  const poplar::ComputeSet set = computeSet("combine");
  for (const Fold &fold : folds) {
    const Tensor into = matrix_.rows(fold.into, 1), parts = matrix_.rows(fold.first, fold.rows);
    matrix_.forEachTile(
        beginOf(fold.part), endOf(fold.part), [&](unsigned tile, const auto &columns) {
          addCombine(graph_, set, tile, pieces(into, columns), pieces(parts, columns), combination);
        });
  }
  execute(set);
}

void PlanProgram::divide(unsigned divisor) {
  const poplar::ComputeSet set = computeSet("divide");
  matrix_.forEachTile(0, matrix_.columns(), [&](unsigned tile, const auto &columns) {
    const Tensor own = pieces(matrix_.rows(0, 1), columns);
    const poplar::VertexRef v =
        addVertex(set, templateVertex("gcl::Divide", matrix_.type()), tile, own.numElements(), 3);
    graph_.connect(v["elements"], own);
    graph_.setInitialValue(v["divisor"], divisor);
  });
  execute(set);
}

void PlanProgram::square(std::size_t rows) {
  const poplar::ComputeSet set = computeSet("square");
  matrix_.forEachTile(0, matrix_.columns(), [&](unsigned tile, const auto &columns) {
    const Tensor own = pieces(matrix_.rows(0, rows), columns);
    const poplar::VertexRef v =
        addVertex(set, templateVertex("gcl::Square", matrix_.type()), tile, own.numElements(), 3);
    graph_.connect(v["elements"], own);
  });
  execute(set);
}

void PlanProgram::zeroUnlessAt(unsigned position, std::size_t rows) {
  const poplar::ComputeSet set = computeSet("root");
  matrix_.forEachTile(0, matrix_.columns(), [&](unsigned tile, const auto &columns) {
    const Tensor own = pieces(matrix_.rows(0, rows), columns);
    const poplar::VertexRef v = addVertex(set, templateVertex("gcl::ZeroUnlessAt", matrix_.type()),
                                          tile, own.numElements(), 1);
    graph_.connect(v["elements"], own);
    graph_.connect(v["position"], positions_.on(tile));
    graph_.setInitialValue(v["root"], position);
  });
  execute(set);
}

} // namespace gcl
