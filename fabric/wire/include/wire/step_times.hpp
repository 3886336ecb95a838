#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::wire {

/// The time at which a step of the control program ran [wall-clock ns since its IPU began the run].
struct StepTime {
  std::uint64_t step = 0; ///< index into Image::steps
  std::uint64_t begin = 0, end = 0;
};

/// The first kMost steps of an IPU's last run that computed or moved something, in order.
struct StepTimes {
  static constexpr std::size_t kMost = 100'000;
  std::vector<StepTime> steps;
  bool complete = true; ///< true if no step of the run is missing
};

} // namespace copse::wire
