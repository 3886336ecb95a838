#pragma once

#include "stream_call.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace copse::session {

/// Callbacks of the host program may compute, wait for something, or never return. A thread cannot
/// be stopped, and handing a call to another thread costs more than transferring a small row.
/// Therefore a pool thread serves the run and makes short calls itself; if a call turns out not to
/// be short, another thread takes over serving. Calls that may wait go to other pool threads at
/// once. A call that takes too long is abandoned: it keeps its thread, its row and its callback,
/// and its result is ignored.
///
/// At most the number of calls set by use() have a turn at one time. A call that takes longer than
/// computing plausibly would must be waiting for something, so it loses its turn and others
/// continue.
///
/// Life: construct; for each run call serve(), whose work starts calls, makes the waiting ones and
/// collects the ended ones.
///
/// Thread: the caller's for serve(), close() and awaitQuiet(); the serving thread for start(),
/// nextHere(), makeCall(), cancelQueued(), abandonOverdue() and nextOverdue(); both for the rest.
class CallbackExecutor {
public:
  using Clock = StreamCall::Clock;
  using CallPtr = std::shared_ptr<StreamCall>;

  /// The duration of a turn, and its duration for a stream that is known to wait.
  static constexpr std::chrono::milliseconds kTurn{100}, kShortTurn{1};
  /// Well above the time of a callback that copies a row.
  static constexpr std::chrono::milliseconds kLongestCall{3};

  /// \param onEnd  called on the thread of a call that ends on another thread, until close()
  /// \param longestCall  the longest call on the serving thread that counts as short
  explicit CallbackExecutor(std::function<void()> onEnd,
                            Clock::duration longestCall = kLongestCall);
  ~CallbackExecutor();
  CallbackExecutor(const CallbackExecutor &) = delete;
  CallbackExecutor &operator=(const CallbackExecutor &) = delete;
  /// Starts no more calls, and stops calling onEnd. Calls that do not return within a second are
  /// abandoned.
  void close();

  /// Sets how many calls may have a turn at one time, all of which may wait. 0: one call, and only
  /// prefetches and calls that yield lose their turn.
  void use(unsigned sideBySide);

  /// Runs \p work on a pool thread, and returns when it has ended. If makeCall() takes long, \p
  /// work restarts on another thread. Exceptions are rethrown.
  /// \param handler  receives the calls
  void serve(StreamHandler &handler, std::function<void()> work);

  /// Queues \p call for another thread or for makeCall().
  void start(CallPtr call);
  /// Returns the call that makeCall() would make; null if there is none.
  CallPtr nextHere() const;
  /// Makes the call that waits for the serving thread, or hands it to another thread if it has no
  /// turn yet.
  /// \returns true if this thread still serves. If not, the work must return without touching
  ///   anything.
  bool makeCall();
  /// Returns the calls that have ended, in the order of their ends.
  std::vector<CallPtr> ended();
  /// Returns the calls that have not begun, and removes them.
  std::vector<CallPtr> cancelQueued();
  /// Abandons a call that has been needed for longer than \p timeout.
  /// \param timeout  0: unlimited
  /// \returns the call; null if there is none
  CallPtr abandonOverdue(std::chrono::milliseconds timeout);
  /// Returns the earliest time at which abandonOverdue() may find a call.
  Clock::time_point nextOverdue(std::chrono::milliseconds timeout) const;

  /// Waits until no call is running.
  /// \returns true if that happened before \p deadline
  bool awaitQuiet(Clock::time_point deadline) const;
  /// Returns true if a call is running or queued.
  bool busy() const;

private:
  struct State;
  std::shared_ptr<State> state_; ///< shared with the threads, which may outlive this object
};

} // namespace copse::session
