#pragma once

#include <atomic>
#include <cstdint>

namespace copse::ipud {

/// The progress of a run, which other threads can read without slowing the run down.
///
/// Thread: only the run thread writes, with plain stores; any thread reads. The numbers need not be
/// consistent with each other.
struct RunProgress {
  using Number = std::atomic<std::uint64_t>;
  Number steps{0};          ///< executed steps of control programs, in all runs
  Number cycles{0};         ///< the modelled clock
  Number trip{0}, trips{0}; ///< turns of the outermost loop: done, and all; 0: unknown, or no loop

  void put(Number &number, std::uint64_t value) { number.store(value, std::memory_order_relaxed); }
  void countStep(std::uint64_t now) {
    put(steps, steps.load(std::memory_order_relaxed) + 1);
    put(cycles, now);
  }
  void beginLoop(std::uint64_t all) {
    put(trip, 0);
    put(trips, all);
  }
};

} // namespace copse::ipud
