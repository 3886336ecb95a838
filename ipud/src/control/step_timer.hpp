#pragma once

#include "clock/step_kind.hpp"
#include "control/step_observer.hpp"

#include "wire/image.hpp"
#include "wire/step_times.hpp"

#include <chrono>
#include <utility>

namespace copse::ipud {

/// Records the wall-clock begin and end of the steps of one run, for session::Machine::stepTimes().
/// A run may have any number of steps, so only the first StepTimes::kMost are recorded.
class StepTimer final : public StepObserver {
public:
  /// Keeps a reference to \p image.
  explicit StepTimer(const wire::Image &image) : image_(image) {}

  void beginStep(std::uint32_t /*at*/) override { begin_ = now(); }
  void endStep(std::uint32_t at) override {
    if (!clock::kindOf(image_, image_.steps[at])) // time of this kind is not reported
      return;
    if (times_.steps.size() < wire::StepTimes::kMost)
      times_.steps.push_back({at, begin_, now()});
    else
      times_.complete = false;
  }

  wire::StepTimes take() { return std::move(times_); }

private:
  /// Returns the time since construction [wall-clock ns].
  std::uint64_t now() const {
    const std::chrono::nanoseconds passed = std::chrono::steady_clock::now() - made_;
    return static_cast<std::uint64_t>(passed.count());
  }

  const wire::Image &image_;
  const std::chrono::steady_clock::time_point made_ = std::chrono::steady_clock::now();
  std::uint64_t begin_ = 0;
  wire::StepTimes times_;
};

} // namespace copse::ipud
