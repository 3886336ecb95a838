#pragma once

#include "stream_call.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace copse::session {

/// Threads for calls that may wait. At most so many calls are under way side by side; one that has
/// taken longer than a callback that computes has no turn any more: it waits for something, so
/// others must go on. There is always a thread for the next one.
///
/// A call that never returns keeps its thread, its row and its callback; the rest of the machine
/// may end meanwhile.
///
/// Thread: any.
class CallThreads {
  struct State;

public:
  using Clock = StreamCall::Clock;
  using CallPtr = std::shared_ptr<StreamCall>;

  /// After which a call has no turn any more; and if its stream is known to wait.
  static constexpr std::chrono::milliseconds kTurn{100}, kShortTurn{1};

  /// \param onEnd  called on a thread of a call when it has ended, until close()
  explicit CallThreads(std::function<void()> onEnd);
  ~CallThreads();
  /// Nothing begins any more, and onEnd is not called. Calls that do not return within a second are
  /// left to themselves.
  void close();
  CallThreads(const CallThreads &) = delete;
  CallThreads &operator=(const CallThreads &) = delete;

  /// How many calls have a turn at once.
  /// \param anyMayWait  else only a prefetch loses its turn, and what gives way
  void use(unsigned turns, bool anyMayWait);

  /// Queues \p call; \p handler is called on another thread, or by helpOut().
  void start(CallPtr call, StreamHandler &handler);
  /// Whether helpOut() would make a call. One that is quick waits for that, unless a thread would begin with it
  /// sooner.
  bool wantsHelp() const;
  /// Makes the call that waits for that on the caller's thread. onEnd is not called.
  void helpOut();
  /// Calls onEnd.
  void announceEnds();
  /// Calls that have ended, in the order in which they did.
  std::vector<CallPtr> ended();
  /// What has not begun never does.
  /// \returns it
  std::vector<CallPtr> cancelQueued();

  /// A turn for a call on the caller's own thread. Waits for it, but not for calls that wait.
  class OwnTurn {
  public:
    explicit OwnTurn(CallThreads &threads);
    ~OwnTurn();
    OwnTurn(const OwnTurn &) = delete;
    OwnTurn &operator=(const OwnTurn &) = delete;

  private:
    std::shared_ptr<State> state_;
  };

  /// Waits until no call is under way.
  /// \returns whether that was before \p deadline
  bool awaitQuiet(Clock::time_point deadline) const;
  /// A call under way that was needed for longer than \p patience; null: there is none.
  CallPtr overdue(std::chrono::milliseconds patience) const;
  /// Whether a call is under way, or queued.
  bool busy() const;

private:
  std::shared_ptr<State> state_; ///< shared with the threads, which may outlive this
};

} // namespace copse::session
