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

/// What one tile holds of the input, and reduces by itself: consecutive elements, which are
/// [outer, reduced, inner], or begin at column `start` of one outer row and end anywhere.
struct Block {
  unsigned tile = 0;
  poplar::Interval elements; ///< of the flattened input
  std::size_t outer = 1, inner = 1, start = 0;
  std::vector<poplar::Interval> results; ///< positions in the flattened output, in order
  std::size_t numResults() const;
};

/// Cuts the input where a tile's elements, or outer rows, end.
/// \param dimensions  as joined() gives them
/// \param mapping     of the flattened input, an entry for each tile
std::vector<Block> blocksOf(const std::vector<Dimension> &dimensions,
                            const std::vector<std::vector<poplar::Interval>> &mapping);

/// Whether each of \p numOutputs results comes from one block: then they are the output.
bool coverOnce(const std::vector<Block> &blocks, std::size_t numOutputs);

/// Parts of a block for \p workers, if it has too few results to share these: consecutive elements,
/// each of which gives results for all of the block's positions.
/// \returns the block itself
/// otherwise
std::vector<Block> partsFor(const Block &block, unsigned workers);

/// How partial results are combined.
struct Combination {
  std::size_t groups;              ///< of partial results, each combined first; 1: none is
  std::size_t groupResultsPerTile; ///< of one group
  std::size_t outputsPerTile;
};

/// Chooses so that no tile has to take in much more than others.
/// \param partials  for each output
/// \param grain     outputs that stay together
Combination combinationFor(std::size_t partials, std::size_t outputs, std::size_t tiles,
                           std::size_t grain);

} // namespace copse::reductions
