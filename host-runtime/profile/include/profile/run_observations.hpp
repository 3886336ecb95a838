#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace copse::profile {

/// Cycles of vertices in a run, of compute sets for which only a run shows them: those whose code
/// counts, and tile code. By IPU of the first replica and compute set; shape [ipus][computeSets]
/// [ComputeSet::vertices] [tile cycles].
using MeasuredCycles = std::vector<std::map<std::uint32_t, std::vector<std::uint64_t>>>;

/// Figures that a run shows and the executable does not.
struct RunObservations {
  MeasuredCycles cycles;        ///< if the program has vertices of which only a run shows them
  std::vector<bool> prefetched; ///< by stream: whether its rows were filled ahead of time
  friend bool operator==(const RunObservations &, const RunObservations &) = default;
};

} // namespace copse::profile
