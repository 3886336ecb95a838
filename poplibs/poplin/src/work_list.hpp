#pragma once

#include "blocks.hpp"

#include <vector>

namespace poplin {

/// Which pixels of the input a cell meets, and how.
struct WorkList {
  std::vector<plan::Range> inputField; ///< the smallest box of all that it meets
  /// For each run of pixels: the kernel element, the first output pixel and the step, the first
  /// input pixel and the step, and how many. Pixels are counted in the cell's block and in the box,
  /// with the batch outermost.
  std::vector<int> runs;
};

WorkList workListOf(const ConvParams &params, const plan::Cell &cell);

} // namespace poplin
