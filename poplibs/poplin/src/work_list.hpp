#pragma once

#include "blocks.hpp"

#include <cstdint>
#include <vector>

namespace poplin {

/// Which pixels of the input a cell meets, and how.
struct WorkList {
  std::vector<plan::Range> inputField; ///< the smallest box of all that it meets
  /// The output's pixels in classes; all pixels of a class meet the same kernel elements. For each
  /// class the numbers of its kernel elements and of its runs, then
  /// - for each kernel element two numbers: the element, and how far the input pixel that it meets
  ///   is from the one that the class's first element meets;
  /// - for each run of pixels five: the first output pixel and the step, the input pixel that the
  ///   first element meets and the step, and how many. Pixels are counted in the cell's block and
  ///   in the box, with the batch outermost.
  std::vector<int> classes;
  std::uint64_t meetings = 0; ///< pairs of a kernel element and a pixel that it meets
};

WorkList workListOf(const ConvParams &params, const plan::Cell &cell);

} // namespace poplin
