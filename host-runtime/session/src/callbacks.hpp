#pragma once

#include "call_threads.hpp"

#include <memory>
#include <optional>

namespace copse::session {

/// Decides where a call of the host program's callbacks runs: on the serving thread, through a
/// CallGuard, or on a thread of its own where one that waits must not keep others from being
/// called.
///
/// Thread: the serving thread's.
class Callbacks {
public:
  /// \param threads  shared with calls that were left to themselves
  /// \param handler  what calls on other threads go to
  /// \param guarded  the same for those on this thread, and for all that is no StreamCall
  Callbacks(std::shared_ptr<CallThreads> threads, StreamHandler &handler, StreamHandler &guarded,
            bool sideBySide)
      : threads_(std::move(threads)), handler_(handler), guarded_(guarded),
        sideBySide_(sideBySide) {}

  /// Makes the call, or begins it elsewhere.
  /// \returns whether it has ended; an exception comes out
  bool begin(const std::shared_ptr<StreamCall> &call);
  /// Whether calls of different streams may be under way at once.
  bool sideBySide() const { return sideBySide_; }
  /// For prints.
  StreamHandler &handler() { return guarded_; }

private:
  bool runsElsewhere(const StreamCall &call) const;

  std::shared_ptr<CallThreads> threads_;
  StreamHandler &handler_, &guarded_;
  bool sideBySide_;
};

} // namespace copse::session
