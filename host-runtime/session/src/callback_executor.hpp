#pragma once

#include "stream_call.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

namespace copse::session {

/// Callbacks of the host program may compute, wait for something, or never return; a thread cannot
/// be stopped, and to hand a call over to another one costs more than a small row. So a run is
/// served by a thread of a pool, which makes short calls itself: if one is not short, another thread
/// serves meanwhile. Calls that may wait go to other threads of the pool at once. A call that takes
/// too long is abandoned: it keeps its thread, its row and its callback, and nobody hears of it any
/// more.
///
/// At most so many calls as use() says have a turn at once. One that has taken longer than a
/// callback that computes has no turn any more: it waits for something, so others must go on.
///
/// Life: construct; for each run serve(), whose work starts calls, makes those that wait for it and
/// collects the ended ones. Thread: serve(), close() and awaitQuiet() the caller's; start(),
/// nextHere(), makeCall(), cancelQueued(), abandonOverdue() and nextOverdue() the serving thread's;
/// the rest both.
class CallbackExecutor {
public:
  using Clock = StreamCall::Clock;
  using CallPtr = std::shared_ptr<StreamCall>;

  /// After which a call has no turn any more; and if its stream is known to wait.
  static constexpr std::chrono::milliseconds kTurn{100}, kShortTurn{1};
  /// After which a call on the serving thread is not short.
  static constexpr std::chrono::milliseconds kLongestCall{3};

  /// \param onEnd  called on the thread of a call that ends elsewhere, until close()
  explicit CallbackExecutor(std::function<void()> onEnd);
  ~CallbackExecutor();
  CallbackExecutor(const CallbackExecutor &) = delete;
  CallbackExecutor &operator=(const CallbackExecutor &) = delete;
  /// Begins nothing any more, and does not call onEnd. Calls that do not return within a second are
  /// left to themselves.
  void close();

  /// Sets how many calls have a turn at once, all of which may wait; 0: one, and only a prefetch
  /// or what gives way loses its turn.
  void use(unsigned sideBySide);

  /// Runs \p work on a thread of the pool, and returns when it has ended. When makeCall() takes
  /// long, \p work begins anew on another thread. Exceptions come out.
  /// \param handler  what the calls of start() go to
  void serve(StreamHandler &handler, std::function<void()> work);

  /// Queues \p call, for another thread or for makeCall().
  void start(CallPtr call);
  /// The call that makeCall() would make; null: there is none.
  CallPtr nextHere() const;
  /// Makes the call that waits for the serving thread; or hands it to another one if it has no
  /// turn yet.
  /// \returns whether this thread still serves. If not, the work must return and touch nothing.
  bool makeCall();
  /// Returns the calls that have ended, in the order in which they did.
  std::vector<CallPtr> ended();
  /// Returns what has not begun, and never will.
  std::vector<CallPtr> cancelQueued();
  /// Abandons a call that has been needed for longer than \p patience.
  /// \param patience  0: for ever
  /// \returns it; null: there is none
  CallPtr abandonOverdue(std::chrono::milliseconds patience);
  /// When abandonOverdue() may find one.
  Clock::time_point nextOverdue(std::chrono::milliseconds patience) const;

  /// Waits until no call is under way.
  /// \returns whether that was before \p deadline
  bool awaitQuiet(Clock::time_point deadline) const;
  /// Whether a call is under way, or queued.
  bool busy() const;

private:
  struct State;
  std::shared_ptr<State> state_; ///< shared with the threads, which may outlive this
};

} // namespace copse::session
