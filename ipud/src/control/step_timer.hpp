#pragma once

#include "wire/step_times.hpp"

#include <chrono>
#include <utility>

namespace copse::ipud {

/// Notes when the steps of one run began and ended.
class StepTimer {
public:
  /// Since the timer was made [wall-clock ns].
  std::uint64_t now() const {
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - begin_;
    return static_cast<std::uint64_t>(passed.count());
  }

  /// A step ends now that began at \p begin.
  void note(std::uint32_t step, std::uint64_t begin) {
    if (times_.steps.size() < wire::StepTimes::kMost)
      times_.steps.push_back({step, begin, now()});
    else
      times_.complete = false;
  }

  wire::StepTimes take() { return std::move(times_); }

private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  wire::StepTimes times_;
};

} // namespace copse::ipud
