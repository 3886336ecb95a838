#pragma once

#include <cstddef>
#include <poplar/Interval.hpp>
#include <vector>

namespace copse::reductions {

/// A dimension of the input of a reduction. Lists of dimensions are in the order of memory,
/// outermost first.
struct Dimension {
  std::size_t size;
  bool reduced;
};

/// Joins adjacent dimensions that are both reduced or both kept, and drops dimensions of size 1.
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

/// Returns true if each of \p numOutputs results comes from one block: then no stage has to combine
/// them.
bool coverOnce(const std::vector<Block> &blocks, std::size_t numOutputs);

/// Splits each block of several outer rows that has fewer results than there are \p workers into
/// one block for each row.
std::vector<Block> rowsApart(const std::vector<Block> &blocks, unsigned workers);

/// Cuts blocks that have too few results to keep all \p workers busy into parts, where a worker's
/// share of its tile's elements ends. All parts of a block have partial results for all of its
/// positions. Any other block is returned as its only part.
/// \param blocks  blocks of one tile must be adjacent
std::vector<std::vector<Block>> partsOf(const std::vector<Block> &blocks, unsigned workers);

/// Returns true if the parts of partsOf(), with the further stage that combines them, take less
/// time than the whole blocks, where one worker computes each result.
bool gainsByParts(const std::vector<Block> &blocks, unsigned workers);

/// How partial results are combined.
struct Combination {
  std::size_t groups; ///< groups of partial results, each combined first; 1: no such stage
  std::size_t groupResultsPerTile; ///< results per tile of one group
  std::size_t outputsPerTile;
};

/// Chooses a combination in which no tile receives much more data than others.
/// \param partials  partial results of each output
/// \param grain     outputs that must be on one tile together
Combination combinationFor(std::size_t partials, std::size_t outputs, std::size_t tiles,
                           std::size_t grain);

} // namespace copse::reductions
