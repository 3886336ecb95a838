#pragma once

#include "tile/codelet_fault.hpp"
#include "tile/running_vertex.hpp"

#include <atomic>
#include <csetjmp>
#include <cstdint>

namespace copse::ipud {

/// Thrown after CodeletExit::record() where our own frames must be unwound.
struct LeftCodelet {};

/// Leaves codelets that do not return: records the reason, and jumps to the target of open().
///
/// Thread: the one that runs the codelets, including its signal handlers.
class CodeletExit {
public:
  explicit CodeletExit(const RunningVertex &running) : running_(running) {}

  /// Codelets run from here to close(), or to the first fault.
  void open(sigjmp_buf &target) {
    target_.store(&target, std::memory_order_relaxed);
    isOpen_.store(true, std::memory_order_relaxed);
  }
  void close() { isOpen_.store(false, std::memory_order_relaxed); }
  bool isOpen() const { return isOpen_.load(std::memory_order_relaxed); }

  /// While this object exists, leave() jumps to another target.
  class Detour {
  public:
    Detour(CodeletExit &exit, sigjmp_buf &target)
        : exit_(exit), before_(exit.target_.load(std::memory_order_relaxed)) {
      exit_.target_.store(&target, std::memory_order_relaxed);
    }
    ~Detour() { exit_.target_.store(before_, std::memory_order_relaxed); }
    Detour(const Detour &) = delete;
    Detour &operator=(const Detour &) = delete;

  private:
    CodeletExit &exit_;
    sigjmp_buf *const before_;
  };

  /// Closes the exit, so that later faults are not attributed to a codelet.
  /// \returns the record, for the caller to complete
  CodeletFault &record(CodeletFault::Kind kind, int signal = 0, int code = 0,
                       const void *address = nullptr);
  /// Records a fault of tile instructions.
  void record(std::unique_ptr<TileFault> fault, bool interrupted);
  /// Records the exception that is being handled.
  void recordException();
  const CodeletFault &fault() const { return fault_; } ///< returns the last record

  /// Jumps to the target. Call after record().
  [[noreturn]] void leave() { siglongjmp(*target_.load(std::memory_order_relaxed), 1); }
  [[noreturn]] void leaveFor(CodeletFault::Kind kind, int signal = 0, int code = 0,
                             const void *address = nullptr) {
    record(kind, signal, code, address);
    leave();
  }

private:
  const RunningVertex &running_;
  std::atomic<sigjmp_buf *> target_{nullptr};
  std::atomic<bool> isOpen_{false};
  CodeletFault fault_;
};

} // namespace copse::ipud
