#pragma once

#include "ipud/ipu.hpp"
#include "wire/image.hpp"

#include <chrono>
#include <utility>

namespace copse::ipud {

/// Whether a step computes or moves something; the others steer.
constexpr bool isTimed(wire::Op op) {
  switch (op) {
  case wire::Op::ComputeSet:
  case wire::Op::Exchange:
  case wire::Op::Sync:
  case wire::Op::HostExchange:
  case wire::Op::RemoteCopy:
    return true;
  case wire::Op::Repeat:
  case wire::Op::While:
  case wire::Op::If:
  case wire::Op::Switch:
  case wire::Op::Case:
  case wire::Op::Call:
  case wire::Op::Print:
  case wire::Op::Abort:
  case wire::Op::ReadClock:
  case wire::Op::AllTrue:
    return false;
  }
  return false;
}

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
    if (times_.steps.size() < StepTimes::kMost)
      times_.steps.push_back({step, begin, now()});
    else
      times_.complete = false;
  }

  StepTimes take() { return std::move(times_); }

private:
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  StepTimes times_;
};

} // namespace copse::ipud
