#pragma once

#include "graph/view.hpp"

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// Do \p runs, all of one variable of \p elements elements, name every one of them? Costs
/// n log n of the number of runs, and of elements only where runs have strides.
bool coverAll(std::vector<graph::Run> runs, std::uint64_t elements);

} // namespace copse::compiler
