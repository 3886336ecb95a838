#pragma once

#include "locks/mutex.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>

namespace copse::fabric {

/// Which thread runs an event loop, as its leader: the one that is there for it (the own thread),
/// or a follower, which has to wait for something that the loop brings and leads meanwhile.
///
/// A follower comes back soon as a rule, so the own thread does not take the loop at once when a
/// follower leaves it, and a follower that leaves does not wake it: both would cost as much as the
/// hand-over that followers save. The own thread looks again after kPatience, or when it is called.
///
/// Thread: awaitOwn() and endOwn() on the own thread; a Lead on one other at a time; all else any.
class LoopLeadership {
public:
  using Clock = std::chrono::steady_clock;
  /// A follower that has left is expected back for so long.
  static constexpr std::chrono::milliseconds kPatience{1};

  /// \param interrupt  makes the own thread leave the loop soon. Any thread
  explicit LoopLeadership(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {}

  /// Waits until the loop is the own thread's.
  /// \returns false after stop()
  bool awaitOwn();
  void endOwn();

  /// A follower's turn, for as long as it lives.
  class Lead {
  public:
    /// Takes the loop, from the own thread if need be. Without one: it was not to be had until
    /// \p deadline, or stop() was called.
    Lead(LoopLeadership &leadership, Clock::time_point deadline)
        : leadership_(leadership), taken_(leadership.beginFollower(deadline)) {}
    ~Lead() {
      if (taken_)
        leadership_.endFollower();
    }
    Lead(const Lead &) = delete;
    Lead &operator=(const Lead &) = delete;
    explicit operator bool() const { return taken_; }

  private:
    LoopLeadership &leadership_;
    bool taken_;
  };

  /// There is work that shall not wait for a follower's return.
  void call();
  /// \returns when no follower is in the loop; none comes in any more
  void stop();

  /// Whether the own thread has stopped looking, and sleeps until a follower that stays for long has
  /// left. Any thread.
  bool ownThreadRests() const {
    const locks::Lock lock(mutex_);
    return resting_;
  }

  /// Whether the calling thread has the loop.
  bool leads() const { return runner_ == std::this_thread::get_id(); }
  /// Whether the calling thread is the follower, in the loop or expected back.
  bool isFollower() const { return follower_ == std::this_thread::get_id(); }

private:
  enum class Holder : std::uint8_t { Nobody, Own, Follower };

  bool beginFollower(Clock::time_point deadline);
  void endFollower();
  bool isFree() const COPSE_REQUIRES(mutex_) { return holder_ == Holder::Nobody && !wanted_; }
  bool isOwns() const COPSE_REQUIRES(mutex_) {
    return isFree() && (called_ || Clock::now() >= left_ + kPatience);
  }

  std::function<void()> interrupt_;
  std::atomic<std::thread::id> runner_{}; ///< who has the loop
  std::atomic<std::thread::id>
      follower_{}; ///< the last one, until the own thread has the loop again

  mutable locks::Mutex mutex_;
  locks::Condition toOwn_, toFollower_;
  Holder holder_ COPSE_GUARDED_BY(mutex_) = Holder::Nobody;
  /// When the last follower did.
  Clock::time_point left_ COPSE_GUARDED_BY(mutex_){};
  /// Turns of followers so far.
  std::uint64_t followers_ COPSE_GUARDED_BY(mutex_) = 0;
  /// A follower waits for the own thread to leave the loop.
  bool wanted_ COPSE_GUARDED_BY(mutex_) = false;
  /// Since the loop was last taken.
  bool called_ COPSE_GUARDED_BY(mutex_) = false;
  /// The own thread waits to be told that the follower has left.
  bool resting_ COPSE_GUARDED_BY(mutex_) = false;
  bool stopping_ COPSE_GUARDED_BY(mutex_) = false;
};

} // namespace copse::fabric
