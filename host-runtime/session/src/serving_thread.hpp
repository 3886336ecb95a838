#pragma once

#include <chrono>
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
public:
  ServingThread();
  ~ServingThread();
  ServingThread(const ServingThread &) = delete;
  ServingThread &operator=(const ServingThread &) = delete;

  /// Runs \p work on the thread and waits until it has ended, or until a call of \p guard has taken
  /// too long. \p work is kept for as long as it runs, so what it owns stays alive; exceptions of
  /// it come out here, but CallGuard::GivenUp.
  /// \returns whether it has ended
  bool run(std::function<void()> work, CallGuard &guard);

private:
  struct State;
  static void serve(const std::shared_ptr<State> &state);
  void start();

  std::shared_ptr<State> state_; ///< shared with the thread, which may outlive this
  std::thread thread_;
};

} // namespace copse::session
