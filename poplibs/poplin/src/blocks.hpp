#pragma once

#include "plan.hpp"

#include <cstddef>
#include <vector>

namespace poplin::plan {

/// A half-open range of one dimension.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::size_t size() const { return end - begin; }
};

/// Cuts [begin, end) into nearly equal ranges, at multiples of \p grain from its begin.
std::vector<Range> cut(Range whole, unsigned parts, std::size_t grain = 1);

/// The ranges that a partition cuts each dimension into.
struct Blocks {
  std::vector<Range> groups, batch, inChannels;
  std::vector<std::vector<Range>> outChannels; ///< for each of the steps that are done in turn
  std::vector<std::vector<Range>> field;       ///< field of the output, for each dimension
  std::vector<std::vector<Range>> inputField;  ///< as many ranges as of the output
  std::vector<std::vector<Range>> kernel;      ///< for each dimension
};
Blocks blocksOf(const ConvParams &params, const poplar::Target &target, const Demands &demands,
                const Partition &partition);

/// The work of one tile in one step.
struct Cell {
  unsigned tile = 0;
  Range group, batch, inChannels, outChannels;
  std::vector<Range> field, kernel;

  std::size_t pixels() const; ///< returns the output's pixels, with the batch
  std::size_t kernelElements() const;
  std::size_t outElements() const;
};
/// Tiles in ascending order. The cells of one block of the output follow each other, as many as the
/// partition has partial sums.
std::vector<Cell> cellsOf(const Blocks &blocks, unsigned step);

} // namespace poplin::plan
