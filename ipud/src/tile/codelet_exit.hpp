#pragma once

#include "tile/codelet_fault.hpp"
#include "tile/running_vertex.hpp"

#include <atomic>
#include <csetjmp>
#include <cstdint>

namespace copse::ipud {

/// Thrown after CodeletExit::record() where frames of ours have to end in order.
struct LeftCodelet {};

/// The way out of codelets that do not return: records why, and jumps to where open() says.
///
/// Thread: that which runs the codelets, in its signal handlers, too.
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

  /// While this lives, the way out leads elsewhere.
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

  /// Closes the way out: what faults from now on is no codelet.
  /// \returns what was recorded, for the caller to complete
  CodeletFault &record(CodeletFault::Kind kind, int signal = 0, int code = 0,
                       const void *address = nullptr);
  /// Of instructions of the tile.
  void record(std::unique_ptr<TileFault> fault, bool interrupted);
  /// Of the exception that is being handled.
  void recordException();
  const CodeletFault &fault() const { return fault_; } ///< recorded last

  /// After record().
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
