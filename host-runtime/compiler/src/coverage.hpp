#pragma once

#include "graph/view.hpp"

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// Elements [begin, end) of a variable.
struct Extent {
  std::uint64_t begin = 0, end = 0;
  friend bool operator==(const Extent &, const Extent &) = default;
};

/// The elements that \p runs, all of one variable, name: as the fewest extents, ascending. Costs
/// n log n of the number of runs, and of elements only where runs have strides.
std::vector<Extent> coverage(const std::vector<graph::Run> &runs);

} // namespace copse::compiler
