#pragma once

#include "wire/vertex_cycles.hpp"

#include <vector>

namespace copse::profile {

/// Figures that a run shows and the executable does not.
struct RunObservations {
  /// By IPU of the first replica; empty: no vertices of the program were measured.
  std::vector<wire::MeasuredCycles> cycles;
  std::vector<bool> prefetched; ///< by stream: whether its rows were filled ahead of time
  friend bool operator==(const RunObservations &, const RunObservations &) = default;
};

} // namespace copse::profile
