#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace copse::profile {

/// Cycles of vertices in a run, of compute sets for which only a run shows them: those whose code
/// counts, and tile code. By IPU of the first replica and compute set; shape [ipus][computeSets]
/// [ComputeSet::vertices] [tile cycles].
using MeasuredCycles = std::vector<std::map<std::uint32_t, std::vector<std::uint64_t>>>;

} // namespace copse::profile
