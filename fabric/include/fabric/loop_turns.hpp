#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace copse::fabric {

/// Who runs an event loop: the thread that is there for it (the own one), or a guest, which has to
/// wait for something that the loop brings and does the loop's work meanwhile.
///
/// A guest comes back soon as a rule, so the own thread does not take the loop at once when a guest
/// leaves it, and a guest that leaves does not wake it: both would cost as much as the hand-over
/// that guests save. The own thread looks again after kPatience, or when it is called.
///
/// Thread: awaitOwn() and endOwn() on the own thread; a Visit on one other at a time; all else any.
class LoopTurns {
public:
  using Clock = std::chrono::steady_clock;
  /// A guest that has left is expected back for so long.
  static constexpr std::chrono::milliseconds kPatience{1};

  /// \param interrupt  makes the own thread leave the loop soon. Any thread
  explicit LoopTurns(std::function<void()> interrupt) : interrupt_(std::move(interrupt)) {}

  /// Waits until the loop is the own thread's. \returns false after stop()
  bool awaitOwn();
  void endOwn();

  /// A guest's turn, for as long as it lives.
  class Visit {
  public:
    /// Takes the loop, from the own thread if need be. Without one: it was not to be had until
    /// \p deadline, or stop() was called.
    Visit(LoopTurns &turns, Clock::time_point deadline)
        : turns_(turns), taken_(turns.beginGuest(deadline)) {}
    ~Visit() {
      if (taken_)
        turns_.endGuest();
    }
    Visit(const Visit &) = delete;
    Visit &operator=(const Visit &) = delete;
    explicit operator bool() const { return taken_; }

  private:
    LoopTurns &turns_;
    bool taken_;
  };

  /// There is work that shall not wait for a guest's return.
  void call();
  /// \returns when no guest is in the loop; none comes in any more
  void stop();

  /// Whether the calling thread has the loop.
  bool isMine() const { return runner_ == std::this_thread::get_id(); }
  /// Whether the calling thread is the guest, in the loop or expected back.
  bool isGuest() const { return guest_ == std::this_thread::get_id(); }

private:
  enum class Holder : std::uint8_t { Nobody, Own, Guest };

  bool beginGuest(Clock::time_point deadline);
  void endGuest();
  bool isFree() const { return holder_ == Holder::Nobody && !wanted_; }
  bool isOwns() const { return isFree() && (called_ || Clock::now() >= left_ + kPatience); }

  std::function<void()> interrupt_;
  std::atomic<std::thread::id> runner_{}; ///< who has the loop
  std::atomic<std::thread::id> guest_{};  ///< the last one, until the own thread has the loop again

  std::mutex mutex_; ///< guards what follows
  std::condition_variable toOwn_, toGuest_;
  Holder holder_ = Holder::Nobody;
  Clock::time_point left_{}; ///< when the last guest did
  std::uint64_t guests_ = 0; ///< turns of guests so far
  bool wanted_ = false;      ///< a guest waits for the own thread to leave the loop
  bool called_ = false;      ///< since the loop was last taken
  bool resting_ = false;     ///< the own thread waits to be told that the guest has left
  bool stopping_ = false;
};

} // namespace copse::fabric
