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

/// Returns the elements of \p runs, which must all be of one variable, as the fewest extents,
/// ascending. The cost is n log n in the number of runs; it depends on the number of elements only
/// for strided runs.
std::vector<Extent> coverage(const std::vector<graph::Run> &runs);

} // namespace copse::compiler
