#pragma once

#include "locks/mutex.hpp"
#include "tile/dispatcher.hpp"

#include "ipud/environment.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace copse::ipud {

/// Interrupts codelets that run too long, or that still run when the program must stop. The
/// watchdog sleeps between runs, and polls a few times per second during a run, so that it costs
/// compute sets no time.
class Watchdog {
public:
  /// \param timeout  longest run of one compute set [wall-clock]
  Watchdog(Dispatcher &dispatcher, std::chrono::milliseconds timeout);
  ~Watchdog();

  /// While this object exists, the compute sets of the calling thread are watched.
  class Watch {
  public:
    Watch(Watchdog &watchdog, const Environment &environment);
    ~Watch();
    Watch(const Watch &) = delete;
    Watch &operator=(const Watch &) = delete;

  private:
    Watchdog &watchdog_;
  };

  /// Returns true if the last interrupted compute set had run too long; false if a stop was
  /// requested.
  bool timedOut() const { return timedOut_.load(); }

private:
  void loop();
  void look() COPSE_REQUIRES(mutex_);

  using Clock = std::chrono::steady_clock;

  Dispatcher &dispatcher_;
  const std::chrono::milliseconds timeout_, period_;
  std::atomic<bool> timedOut_{false};
  locks::Mutex mutex_;
  locks::Condition changed_;
  /// Environment of the watched run, or null.
  const Environment *environment_ COPSE_GUARDED_BY(mutex_) = nullptr;
  bool ending_ COPSE_GUARDED_BY(mutex_) = false;
  std::uint64_t epoch_ COPSE_GUARDED_BY(mutex_) = 0; ///< epoch at the last poll
  Clock::time_point since_ COPSE_GUARDED_BY(mutex_); ///< when that epoch was first seen
  std::thread thread_;
};

} // namespace copse::ipud
