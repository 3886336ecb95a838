#pragma once

#include "locks/mutex.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace copse::fabric {

/// Passing a message from one thread to another takes longer than a small message takes from one
/// process to another. So the thread that waits for a message runs the event loop itself. This
/// class decides which thread runs the loop (is its poller): the loop's own thread, or a waiter,
/// which runs the loop only while it waits.
///
/// Most waiters return soon. So a waiter that leaves the loop does not wake the own thread, which
/// would cost as much as the saved passing between threads. The own thread takes the loop
/// kTakeOverTimeout later, or at once after call().
///
/// Thread: awaitOwn() and endOwn() on the own thread; a Turn on one other thread at a time; all
/// other functions on any thread.
class LoopPoller {
public:
  using Clock = std::chrono::steady_clock;
  /// How long the own thread waits for the return of a waiter that has left, before it takes the
  /// loop.
  static constexpr std::chrono::milliseconds kTakeOverTimeout{1};

  /// \param interrupt  makes the own thread leave the loop soon. Any thread
  explicit LoopPoller(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {}

  /// Blocks until the own thread is the poller.
  /// \returns false after stop()
  bool awaitOwn();
  void endOwn();

  /// Makes the calling thread the poller, as a waiter, for the object's lifetime.
  class Turn {
  public:
    /// Takes the loop, from the own thread if necessary. Converts to false if that failed until \p
    /// deadline, or if stop() was called.
    Turn(LoopPoller &poller, Clock::time_point deadline)
        : poller_(poller), taken_(poller.beginWaiter(deadline)) {}
    ~Turn() {
      if (taken_)
        poller_.endWaiter();
    }
    Turn(const Turn &) = delete;
    Turn &operator=(const Turn &) = delete;
    explicit operator bool() const { return taken_; }

  private:
    LoopPoller &poller_;
    bool taken_;
  };

  /// Makes the own thread take the loop without waiting for a waiter's return.
  void call();
  /// Ends the polling.
  /// \returns when no waiter is in the loop; no thread enters it any more
  void stop();

  /// Returns true if the own thread sleeps until a waiter that stays for long has left. Any thread.
  bool ownThreadRests() const {
    const locks::Lock lock(mutex_);
    return resting_;
  }

  /// Returns true if the calling thread is the poller.
  bool isPoller() const { return runner_ == std::this_thread::get_id(); }
  /// Returns true if the calling thread is the waiter, in the loop or expected back.
  bool isWaiter() const { return waiter_ == std::this_thread::get_id(); }

private:
  enum class Holder : std::uint8_t { None, Own, Waiter };

  bool beginWaiter(Clock::time_point deadline);
  void endWaiter();
  bool isFree() const COPSE_REQUIRES(mutex_) { return holder_ == Holder::None && !wanted_; }
  bool isOwns() const COPSE_REQUIRES(mutex_) {
    return isFree() && (called_ || Clock::now() >= left_ + kTakeOverTimeout);
  }

  std::function<void()> interrupt_;
  std::atomic<std::thread::id> runner_{}; ///< the poller
  std::atomic<std::thread::id>
      waiter_{}; ///< the last waiter, until the own thread has the loop again

  mutable locks::Mutex mutex_;
  locks::Condition toOwn_, toWaiter_;
  Holder holder_ COPSE_GUARDED_BY(mutex_) = Holder::None;
  /// When the last waiter left.
  Clock::time_point left_ COPSE_GUARDED_BY(mutex_){};
  /// Number of turns of waiters.
  std::uint64_t waiters_ COPSE_GUARDED_BY(mutex_) = 0;
  /// A waiter waits for the own thread to leave the loop.
  bool wanted_ COPSE_GUARDED_BY(mutex_) = false;
  /// call() was called since the loop was last taken.
  bool called_ COPSE_GUARDED_BY(mutex_) = false;
  /// The own thread waits until the waiter has left.
  bool resting_ COPSE_GUARDED_BY(mutex_) = false;
  bool stopping_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace copse::fabric
