#include "slice_vertices.hpp"

#include "poputil/VertexTemplates.hpp"
#include "tile_work/codelet_groups.hpp"
#include "tile_work/worker_cycles.hpp"

#include <algorithm>
#include <tuple>
#include <vector>

namespace copse::slices {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::program::Execute;
using poplar::program::Sequence;

namespace {

// An offset is loaded and compared with the rows of the block, and the next one follows.
constexpr std::uint64_t kLookupInstructions = 6;
// Instructions for a row besides its vectors: its address, packed pointers, and both ends of a
// pipelined loop.
constexpr std::uint64_t kRowInstructions = 5;

Tensor blockOf(const Tensor &matrix, const TableBlock &block) {
  return matrix
      .slice({block.rows.begin(), block.columns.begin()}, {block.rows.end(), block.columns.end()})
      .flatten();
}

} // namespace

Rows::Rows(Graph &graph, const Table &table, const Tensor &offsets, std::size_t sliceRows,
           const DebugContext &debugContext)
    : graph_(graph), table_(table), offsets_(offsets.flatten()), sliceRows_(sliceRows),
      debugContext_(debugContext) {
  std::tie(layout_, inPlace_) = table.layout();
}

Tensor Rows::slice(Sequence &prog) {
  const Tensor matrix = inPlace_ ? table_.matrix() : laidOut(prog);
  const std::size_t lookups = offsets_.numElements();
  const Tensor out = variableByParts(graph_, table_.type(), {lookups, sliceRows_}, table_.columns(),
                                     layout_, {debugContext_, "slices"});
  mapSlices(graph_, out, layout_);
  const ComputeSet slicing = graph_.addComputeSet({debugContext_, "slice"});
  const ComputeSet joining = graph_.addComputeSet({debugContext_, "join"});
  bool joins = false;
  for (const ColumnPart &part : layout_) {
    const Tensor to = out.slice(part.columns, 2);
    if (part.blocks.size() == 1) {
      addSlice(slicing, matrix, part.blocks.front(), to.flatten(), 1);
      continue;
    }
    joins = true;
    const std::size_t perLookup = sliceRows_ * part.columns.size();
    const Tensor partial = graph_.addVariable(
        table_.type(), {part.blocks.size(), lookups, perLookup}, {debugContext_, "partials"});
    const auto pieces = shares(lookups, part.blocks.size());
    for (std::size_t b = 0; b != part.blocks.size(); ++b) {
      graph_.setTileMapping(partial[b], part.blocks[b].tile);
      addSlice(slicing, matrix, part.blocks[b], partial[b].flatten(), part.blocks.size());
      if (pieces[b].size() != 0)
        addJoin(joining, part, partial.slice(pieces[b], 1), pieces[b], to.slice(pieces[b], 0),
                part.blocks[b].tile);
    }
  }
  prog.add(Execute(slicing, debugContext_));
  if (joins)
    prog.add(Execute(joining, debugContext_));
  return out;
}

void Rows::update(const std::string &vertex, const Tensor &slices, const Tensor *scale,
                  Outside outside, std::size_t instructionsPerVector, Sequence &prog) {
  const Tensor matrix = inPlace_ ? table_.matrix() : laidOut(prog);
  const ComputeSet cs = graph_.addComputeSet({debugContext_, "update"});
  copse::tile_work::addCodeletGroup(graph_, "popops", "slice", vertex);
  for (const ColumnPart &part : layout_) {
    const Tensor from = slices.slice(part.columns, 2).flatten();
    for (const TableBlock &block : part.blocks) {
      const poplar::VertexRef v =
          graph_.addVertex(cs, vertex, {{"slices", from}, {"table", blockOf(matrix, block)}});
      if (scale != nullptr)
        graph_.connect(v["scale"], *scale);
      graph_.setInitialValue(v["wraps"], outside == Outside::Wraps);
      place(v, block);
      estimate(v, part.columns.size(), part.blocks.size(), instructionsPerVector);
    }
  }
  prog.add(Execute(cs, debugContext_));
  if (!inPlace_)
    prog.add(poplar::program::Copy(matrix, table_.matrix(), false, debugContext_));
}

Tensor Rows::laidOut(Sequence &prog) {
  const Tensor copy = variableByParts(graph_, table_.type(), {table_.rows()}, table_.columns(),
                                      layout_, {debugContext_, "table"});
  mapTo(graph_, copy, layout_);
  prog.add(poplar::program::Copy(table_.matrix(), copy, false, debugContext_));
  return copy;
}

void Rows::place(poplar::VertexRef v, const TableBlock &block) {
  graph_.connect(v["offsets"], offsets_);
  graph_.setInitialValue(v["width"], static_cast<unsigned>(block.columns.size()));
  graph_.setInitialValue(v["sliceRows"], static_cast<unsigned>(sliceRows_));
  graph_.setInitialValue(v["firstRow"], static_cast<unsigned>(block.rows.begin()));
  graph_.setInitialValue(v["rows"], static_cast<unsigned>(block.rows.size()));
  graph_.setInitialValue(v["tableRows"], static_cast<unsigned>(table_.rows()));
  graph_.setTileMapping(v, block.tile);
}

void Rows::addSlice(ComputeSet cs, const Tensor &matrix, const TableBlock &block, const Tensor &out,
                    std::size_t blocks) {
  const std::string vertex = poputil::templateVertex("popops::SliceRows", table_.type());
  copse::tile_work::addCodeletGroup(graph_, "popops", "slice", vertex);
  const poplar::VertexRef v =
      graph_.addVertex(cs, vertex, {{"table", blockOf(matrix, block)}, {"out", out}});
  place(v, block);
  estimate(v, block.columns.size(), blocks, 1);
}

void Rows::addJoin(ComputeSet cs, const ColumnPart &part, const Tensor &partial,
                   const Interval &lookups, const Tensor &out, unsigned tile) {
  const std::string vertex = poputil::templateVertex("popops::JoinSlices", table_.type());
  std::vector<unsigned> firstRows;
  for (const TableBlock &block : part.blocks)
    firstRows.push_back(static_cast<unsigned>(block.rows.begin()));
  const Tensor firsts =
      graph_.addConstant<unsigned>(poplar::UNSIGNED_INT, {firstRows.size()}, firstRows);
  graph_.setTileMapping(firsts, tile);
  const poplar::VertexRef v = graph_.addVertex(cs, vertex,
                                               {{"in", partial.flatten()},
                                                {"offsets", offsets_.slice(lookups)},
                                                {"firstRows", firsts},
                                                {"out", out.flatten()}});
  graph_.setInitialValue(v["width"], static_cast<unsigned>(part.columns.size()));
  graph_.setInitialValue(v["sliceRows"], static_cast<unsigned>(sliceRows_));
  graph_.setInitialValue(v["tableRows"], static_cast<unsigned>(table_.rows()));
  graph_.setTileMapping(v, tile);
  const auto share = copse::tile_work::largestWorkerShare(graph_.getTarget(), lookups.size(), 1);
  // For each row: its number, a comparison with each block, its vectors in and out.
  estimate(v, share * sliceRows_ *
                  (4 + kRowInstructions + 2 * part.blocks.size() + vectorsOf(part.columns.size())));
}

std::uint64_t Rows::vectorsOf(std::size_t columns) const {
  const std::uint64_t perVector =
      std::max<std::uint64_t>(1, 8 / graph_.getTarget().getTypeSize(table_.type()));
  return (columns + perVector - 1) / perVector;
}

void Rows::estimate(poplar::VertexRef v, std::size_t columns, std::size_t among,
                    std::size_t instructionsPerVector) {
  const std::uint64_t lookups =
      copse::tile_work::largestWorkerShare(graph_.getTarget(), offsets_.numElements(), 1);
  const std::uint64_t perFound =
      sliceRows_ * (kRowInstructions + vectorsOf(columns) * instructionsPerVector);
  estimate(v, kLookupInstructions * lookups + (lookups * perFound + among - 1) / among);
}

void Rows::estimate(poplar::VertexRef v, std::uint64_t instructions) {
  graph_.setPerfEstimate(
      v, copse::tile_work::workerCycles(graph_.getTarget(),
                                        copse::tile_work::kVertexInstructions + instructions));
}

} // namespace copse::slices
