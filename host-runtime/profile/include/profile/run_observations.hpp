#pragma once

#include "wire/vertex_cycles.hpp"

#include <vector>

namespace copse::profile {

/// Data about a run that do not follow from the executable.
struct RunObservations {
  /// By IPU of the first replica; empty if no vertices were measured.
  std::vector<wire::MeasuredCycles> cycles;
  std::vector<bool> prefetched; ///< by stream: its rows were prefetched
  friend bool operator==(const RunObservations &, const RunObservations &) = default;
};

} // namespace copse::profile
