#pragma once

#include <cstddef>
#include <poplar/Interval.hpp>
#include <vector>

namespace copse::reductions {

/// A dimension of what is reduced, in the order of memory.
struct Dimension {
  std::size_t size;
  bool reduced;
};

/// Joins neighbours of one kind and drops dimensions of size 1.
std::vector<Dimension> joined(const std::vector<Dimension> &dimensions);

/// The part of the input that one tile holds and reduces by itself: consecutive elements, which are
/// [outer, reduced, inner], or begin at column `start` of one outer row and end anywhere.
struct Block {
  unsigned tile = 0;
  poplar::Interval elements; ///< interval of the flattened input
  std::size_t outer = 1, inner = 1, start = 0;
  std::vector<poplar::Interval> results; ///< positions in the flattened output, in order
  std::size_t numResults() const;
};

/// Cuts the input where a tile's elements, or outer rows, end.
/// \param dimensions  as joined() gives them
/// \param mapping     mapping of the flattened input, an entry for each tile
std::vector<Block> blocksOf(const std::vector<Dimension> &dimensions,
                            const std::vector<std::vector<poplar::Interval>> &mapping);

/// Returns true if each of \p numOutputs results comes from one block: then they are the output.
bool coverOnce(const std::vector<Block> &blocks, std::size_t numOutputs);

/// Blocks of several outer rows as one block for each, where all of them together have fewer
/// results than there are \p workers.
std::vector<Block> rowsApart(const std::vector<Block> &blocks, unsigned workers);

/// Returns the parts of each block, which all have results for all of the block's positions. A
/// block with too few results for \p workers to share is cut where a worker's share of its tile's
/// elements ends. Any other block is its only part.
/// \param blocks  blocks of one tile must be adjacent
std::vector<std::vector<Block>> partsOf(const std::vector<Block> &blocks, unsigned workers);

/// Returns true if parts of blocks, with another stage that joins them, take less time than the
/// blocks, each of whose results one worker makes.
bool gainsByParts(const std::vector<Block> &blocks, unsigned workers);

/// How partial results are combined.
struct Combination {
  std::size_t groups; ///< groups of partial results, each combined first; 1: no such stage
  std::size_t groupResultsPerTile; ///< results per tile of one group
  std::size_t outputsPerTile;
};

/// Chooses so that no tile has to take in much more than others.
/// \param partials  for each output
/// \param grain     outputs that stay together
Combination combinationFor(std::size_t partials, std::size_t outputs, std::size_t tiles,
                           std::size_t grain);

} // namespace copse::reductions
