#pragma once

#include "blocks.hpp"

#include <cstdint>
#include <vector>

namespace poplin {

/// The input pixels that a cell reads, and by which kernel elements it multiplies them.
struct WorkList {
  std::vector<plan::Range> inputField; ///< the smallest box that contains all these pixels
  /// The output's pixels in classes. All pixels of a class use the same kernel elements. A class
  /// has the number of its kernel elements and the number of its runs, then
  /// - for each kernel element two numbers: the element, and the distance of its input pixel from
  ///   the input pixel of the class's first element;
  /// - for each run of pixels five numbers: the first output pixel and the step, the input pixel of
  ///   the first kernel element and the step, and the number of pixels. Pixels are numbered in the
  ///   cell's block and in the box, with the batch outermost.
  std::vector<int> classes;
  std::uint64_t meetings = 0; ///< number of pairs of a kernel element and its input pixel
};

WorkList workListOf(const ConvParams &params, const plan::Cell &cell);

} // namespace poplin
