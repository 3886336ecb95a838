#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>

namespace copse::session {

class CallGuard;

/// A thread on which runs are served, so that a callback of the host program that never returns
/// keeps this thread and not the one that called run(). A thread that was given up ends when its
/// callback returns; the next run gets another.
///
/// Thread: run() on one at a time.
class ServingThread {
  struct State;

public:
  /// The right to serve, which one thread at a time has.
  class Turn {
  public:
    /// Makes \p call on this thread; it should be short. If it is not, another thread begins with the work of
    /// run() meanwhile.
    /// \returns whether the turn is still this thread's; if not, the work must return
    bool make(const std::function<void()> &call);

  private:
    friend class ServingThread;
    Turn(State &state, std::uint64_t thread) : state_(state), thread_(thread) {}
    State &state_;
    std::uint64_t thread_;
  };
  using Work = std::function<void(Turn &)>;

  ServingThread();
  ~ServingThread();
  ServingThread(const ServingThread &) = delete;
  ServingThread &operator=(const ServingThread &) = delete;

  /// Runs \p work on the thread and waits until it has ended, or until a call of \p guard has taken
  /// too long. \p work is kept for as long as it runs, so what it owns stays alive; exceptions of
  /// it come out here, but CallGuard::GivenUp.
  /// \param work  begins anew when a call of Turn::make() takes long
  /// \returns whether it has ended
  bool run(Work work, CallGuard &guard);

private:
  static void serve(const std::shared_ptr<State> &state, std::uint64_t thread);
  void start();
  void startThread(std::uint64_t number);

  std::shared_ptr<State> state_; ///< shared with the thread, which may outlive this
  std::thread thread_;
};

} // namespace copse::session
