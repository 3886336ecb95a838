#include "reduction.hpp"

#include "reduce_plan.hpp"
#include "reduce_tensors.hpp"
#include "reduce_vertices.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace copse::reductions {
namespace {

using poplar::ComputeSet;
using poplar::DebugContext;
using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;
using poplar::Type;
using popops::Operation;

Tensor slicesOf(const Tensor &flat, const std::vector<Interval> &intervals) {
  if (intervals.size() == 1)
    return flat.slice(intervals.front());
  std::vector<Tensor> parts;
  for (const Interval &interval : intervals)
    parts.push_back(flat.slice(interval));
  return poplar::concat(parts);
}

/// One reduction, stage by stage.
class Reduction {
public:
  Reduction(Graph &graph, const ReductionArguments &arguments, const std::optional<Tensor> &out,
            Stages stages, const DebugContext &debugContext)
      : graph_(graph), order_(arguments.in, arguments.dims), outType_(arguments.outType),
        op_(arguments.params.op), partialType_(arguments.partialType), stages_(stages),
        vertices_(graph, arguments.params), debugContext_(debugContext) {
    numOutputs_ = std::accumulate(order_.outShape.begin(), order_.outShape.end(), std::size_t{1},
                                  std::multiplies<>());
    if (out)
      out_ = order_.permuted(*out);
  }

  /// \returns the output
  Tensor run() {
    const auto blocks = blocksOf(order_.dimensions, graph_.getTileMapping(order_.in));
    if (coverOnce(blocks, numOutputs_))
      reduceAtOnce(blocks);
    else
      combine(partialsOf(blocks));
    vertices_.addPostponed();
    return order_.asOutput(*out_);
  }

private:
  /// The blocks of one tile that have the same results; each block as a list of its parts.
  using Parts = std::vector<std::vector<Block>>;

  /// Squares are taken once.
  Operation later() const { return op_ == Operation::SQUARE_ADD ? Operation::ADD : op_; }

  ReductionWork workOf(const Block &block, const Tensor &out) const {
    return {
        order_.in.slice(block.elements), out, block.outer, block.inner, block.start, block.tile};
  }

  /// Results are outputs, where their elements are.
  void reduceAtOnce(const std::vector<Block> &blocks) {
    if (!out_) {
      out_ = graph_.addVariable(outType_, {numOutputs_}, {debugContext_, "reduced"});
      Graph::TileToTensorMapping mapping(graph_.getTarget().getNumTiles());
      for (const Block &block : blocks)
        mapping[block.tile].insert(mapping[block.tile].end(), block.results.begin(),
                                   block.results.end());
      graph_.setTileMapping(*out_, mapping);
    }
    const unsigned workers = graph_.getTarget().getNumWorkerContexts();
    if (!gainsByParts(blocks, workers)) {
      for (const Block &block : blocks)
        vertices_.addLast(stages_[0], workOf(block, slicesOf(*out_, block.results)), op_);
      return;
    }
    for (const std::vector<Block> &parts : partsOf(rowsApart(blocks, workers), workers))
      reduceParts(parts, slicesOf(*out_, parts.front().results));
  }

  /// Reduces each part to one result; the next stage joins these.
  void reduceParts(const std::vector<Block> &parts, const Tensor &out) {
    const unsigned tile = parts.front().tile;
    if (parts.size() == 1)
      return vertices_.addLast(stages_[0], workOf(parts.front(), out), op_);
    const Tensor results = variable({parts.size(), out.numElements()});
    graph_.setTileMapping(results, tile);
    for (std::size_t i = 0; i != parts.size(); ++i)
      vertices_.addPart(stages_[0], workOf(parts[i], results[i]), op_);
    vertices_.addLast(stages_[1], {results.flatten(), out, 1, out.numElements(), 0, tile}, later());
  }

  /// Returns the partial results. Results of one tile for the same outputs are joined on the tile.
  std::vector<PartialSet> partialsOf(const std::vector<Block> &blocks) {
    const unsigned workers = graph_.getTarget().getNumWorkerContexts();
    std::map<std::vector<Interval>, std::map<unsigned, Parts>> byResults;
    for (std::vector<Block> &parts : partsOf(rowsApart(blocks, workers), workers))
      byResults[parts.front().results][parts.front().tile].push_back(std::move(parts));
    allAsTheyAre_ = std::all_of(byResults.begin(), byResults.end(), [](const auto &same) {
      return std::all_of(same.second.begin(), same.second.end(),
                         [](const auto &tile) { return isReduced(tile.second); });
    });
    std::vector<PartialSet> sets;
    bool joining = false;
    for (const auto &[results, byTile] : byResults) {
      const auto isPartial = [&](const Parts &here) {
        return allAsTheyAre_ ||
               (isReduced(here) && op_ == later() && order_.in.elementType() == partialType_);
      };
      const auto toReduce = std::count_if(
          byTile.begin(), byTile.end(), [&](const auto &tile) { return !isPartial(tile.second); });
      const Tensor reduced = variable({static_cast<std::size_t>(toReduce), countOf(results)});
      PartialSet set{results, reduced, {}};
      std::vector<Tensor> rows;
      std::size_t next = 0; // index of the next reduced dimension
      for (const auto &[tile, here] : byTile) {
        set.tiles.push_back(tile);
        if (isPartial(here)) {
          rows.push_back(elementsByResult(here.front().front()).expand({0}));
          continue;
        }
        const Tensor row = reduced[next++];
        graph_.setTileMapping(row, tile);
        joining |= reduceOnTile(here, row);
        rows.push_back(row.expand({0}));
      }
      if (next != rows.size())
        set.data = poplar::concat(rows);
      sets.push_back(std::move(set));
    }
    stage_ = allAsTheyAre_ ? 0 : joining ? 2 : 1;
    return sets;
  }

  static std::size_t countOf(const std::vector<Interval> &results) {
    return std::accumulate(
        results.begin(), results.end(), std::size_t{0},
        [](std::size_t sum, const Interval &interval) { return sum + interval.size(); });
  }
  /// Returns whether a tile has one element for each of its results: there is nothing to reduce.
  static bool isReduced(const Parts &blocks) {
    return blocks.size() == 1 && blocks.front().size() == 1 &&
           blocks.front().front().elements.size() == blocks.front().front().numResults();
  }
  /// Returns the elements of a block that isReduced() in the order of its results.
  Tensor elementsByResult(const Block &block) const {
    const Tensor elements = order_.in.slice(block.elements);
    const std::size_t n = elements.numElements(), first = (n - block.start) % n;
    return first == 0 ? elements
                      : poplar::concat(elements.slice(first, n), elements.slice(0, first));
  }

  /// \returns whether it took a second stage
  bool reduceOnTile(const std::vector<std::vector<Block>> &blocks, const Tensor &row) {
    const unsigned tile = blocks.front().front().tile;
    if (blocks.size() == 1 && blocks.front().size() == 1) {
      vertices_.add(stages_[0], workOf(blocks.front().front(), row), op_);
      return false;
    }
    std::size_t count = 0;
    for (const std::vector<Block> &parts : blocks)
      count += parts.size();
    const Tensor results = variable({count, row.numElements()});
    graph_.setTileMapping(results, tile);
    std::size_t next = 0;
    for (const std::vector<Block> &parts : blocks)
      for (const Block &part : parts) {
        const ReductionWork work = workOf(part, results[next++]);
        if (parts.size() == 1)
          vertices_.add(stages_[0], work, op_);
        else
          vertices_.addPart(stages_[0], work, op_);
      }
    vertices_.add(stages_[1], {results.flatten(), row, 1, row.numElements(), 0, tile}, later());
    return true;
  }

  Tensor variable(const std::vector<std::size_t> &shape) {
    return graph_.addVariable(partialType_, shape, {debugContext_, "partials"});
  }

  void combine(std::vector<PartialSet> sets) {
    std::size_t partials = 0;
    for (const PartialSet &set : sets)
      partials += set.data.numElements();
    const poplar::Target &target = graph_.getTarget();
    const Combination plan = combinationFor((partials + numOutputs_ - 1) / numOutputs_, numOutputs_,
                                            target.getNumTiles(), target.getVectorWidth(outType_));
    if (plan.groups > 1 || spansIpus(sets))
      sets = combinedInGroups(sets, plan.groups, plan.groupResultsPerTile);
    if (!out_)
      mapOutput(plan.outputsPerTile);
    const auto mapping = graph_.getTileMapping(*out_);
    const std::vector<Segment> segments = segmentsOf(sets);
    for (unsigned tile = 0; tile != mapping.size(); ++tile)
      for (const Interval &region : mapping[tile])
        for (const Segment &segment : partsIn(region, segments)) {
          const Tensor in = gathered(sets, segment);
          vertices_.addLast(stages_[stage_],
                            {in.flatten(), out_->slice(segment.outputs), 1, in.dim(1), 0, tile},
                            ofPartials());
        }
  }

  /// Returns the operation on partial results: these are elements of the input where no tile has
  /// reduced any.
  Operation ofPartials() const { return allAsTheyAre_ ? op_ : later(); }

  unsigned ipuOf(unsigned tile) const { return tile / graph_.getTarget().getTilesPerIPU(); }

  bool spansIpus(const std::vector<PartialSet> &sets) const {
    return std::any_of(sets.begin(), sets.end(), [&](const PartialSet &set) {
      return set.tiles.size() > 2 && ipuOf(set.tiles.front()) != ipuOf(set.tiles.back());
    });
  }

  /// Does a round before the last: groups of neighbouring tiles, never of two IPUs, have their
  /// partial results combined on tiles of their IPU.
  std::vector<PartialSet> combinedInGroups(const std::vector<PartialSet> &sets, std::size_t groups,
                                           std::size_t resultsPerTile) {
    std::vector<PartialSet> combined;
    const unsigned perIpu = graph_.getTarget().getTilesPerIPU();
    unsigned next = 0; // deals tiles of an IPU
    for (const PartialSet &set : sets) {
      const std::size_t rows = set.tiles.size();
      if (rows < 2 && !allAsTheyAre_) { // elements of the input are converted, or squared
        combined.push_back(set);
        continue;
      }
      const std::size_t perGroup = (rows + groups - 1) / groups;
      std::vector<Interval> ranges;
      for (std::size_t begin = 0; begin != rows;) {
        std::size_t end = begin;
        while (end != rows && end - begin != perGroup &&
               ipuOf(set.tiles[end]) == ipuOf(set.tiles[begin]))
          ++end;
        ranges.emplace_back(begin, end);
        begin = end;
      }
      const std::size_t results = set.data.dim(1);
      PartialSet joined{set.results, variable({ranges.size(), results}), {}};
      for (const Interval &range : ranges) {
        const unsigned ipu = ipuOf(set.tiles[range.begin()]);
        const Tensor row = joined.data[joined.tiles.size()];
        for (std::size_t from = 0; from < results; from += resultsPerTile) {
          const std::size_t to = std::min(from + resultsPerTile, results);
          const unsigned tile = ipu * perIpu + next++ % perIpu;
          graph_.setTileMapping(row.slice(from, to), tile);
          vertices_.add(stages_[stage_],
                        {set.data.slice({range.begin(), from}, {range.end(), to}).flatten(),
                         row.slice(from, to), 1, to - from, 0, tile},
                        ofPartials());
        }
        joined.tiles.push_back(set.tiles[range.begin()]);
      }
      combined.push_back(std::move(joined));
    }
    ++stage_;
    allAsTheyAre_ = false;
    return combined;
  }

  void mapOutput(std::size_t outputsPerTile) {
    out_ = graph_.addVariable(outType_, {numOutputs_}, {debugContext_, "reduced"});
    unsigned tile = 0;
    for (std::size_t begin = 0; begin < numOutputs_; begin += outputsPerTile)
      graph_.setTileMapping(out_->slice(begin, std::min(begin + outputsPerTile, numOutputs_)),
                            tile++);
  }

  Graph &graph_;
  const InMemoryOrder order_;
  const Type outType_;
  const Operation op_;
  const Type partialType_;
  Stages stages_;
  ReductionVertices vertices_;
  const DebugContext &debugContext_;
  std::size_t numOutputs_ = 1;
  std::optional<Tensor> out_; ///< permuted and flattened
  std::size_t stage_ = 0;     ///< the next free one
  bool allAsTheyAre_ = false; ///< partial results are elements of the input
};

} // namespace

ComputeSet Stages::operator[](std::size_t stage) {
  while (css_.size() <= stage)
    css_.push_back(graph_.addComputeSet({debugContext_, "Reduce_" + std::to_string(css_.size())}));
  return css_[stage];
}

Tensor addReduction(Graph &graph, const ReductionArguments &arguments,
                    const std::optional<Tensor> &out, Stages stages,
                    const DebugContext &debugContext) {
  return Reduction(graph, arguments, out, stages, debugContext).run();
}

} // namespace copse::reductions
