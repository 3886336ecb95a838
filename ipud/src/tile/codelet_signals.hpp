#pragma once

#include "processor/tile_processor.hpp"
#include "tile/codelet_exit.hpp"
#include "tile/parity_guard.hpp"

#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pthread.h>

namespace copse::ipud {

/// Handles the signals of one thread that runs codelets: faults (SIGSEGV, SIGBUS, SIGFPE, SIGILL,
/// SIGTRAP, SIGABRT) and interrupt(). Both leave the codelet through the thread's CodeletExit. The
/// handlers are installed once per process; a signal that is not a codelet's goes to the previous
/// handler.
///
/// Thread: created, used and destroyed by the thread itself; any thread may call interrupt().
class CodeletSignals {
public:
  /// Gives the calling thread a stack for signal handlers. Keeps references to its arguments.
  CodeletSignals(CodeletExit &exit, ParityGuard &guard);
  ~CodeletSignals();
  CodeletSignals(const CodeletSignals &) = delete;
  CodeletSignals &operator=(const CodeletSignals &) = delete;

  /// Call before the codelets of a compute set.
  /// \param epoch  identifies the compute set to interrupt()
  void begin(std::uint64_t epoch) {
    epoch_.store(epoch, std::memory_order_relaxed);
    interpreting_.store(nullptr, std::memory_order_relaxed);
    heldBack_.store(false, std::memory_order_relaxed);
    interruptWaits_.store(false, std::memory_order_relaxed);
  }
  /// Makes the thread leave its codelet, if it runs the compute set of that epoch.
  void interrupt(std::uint64_t epoch);

  /// While this object exists, interrupt() ends the interpreter, which returns by itself, because a
  /// jump out of the interpreter would leave its state inconsistent. Null: native code runs.
  class Interpreting {
  public:
    Interpreting(CodeletSignals &signals, TileProcessor *processor)
        : signals_(signals), before_(signals.interpreting_.load(std::memory_order_relaxed)) {
      signals_.setInterpreting(processor);
    }
    ~Interpreting() { signals_.setInterpreting(before_); }
    Interpreting(const Interpreting &) = delete;
    Interpreting &operator=(const Interpreting &) = delete;

  private:
    CodeletSignals &signals_;
    TileProcessor *const before_;
  };

  /// While this object exists, an interrupt() is deferred: native code may hold a lock of malloc.
  class HeldBack {
  public:
    explicit HeldBack(CodeletSignals &signals) : signals_(signals) { signals_.setHeldBack(true); }
    ~HeldBack() {
      signals_.setHeldBack(false);
      if (signals_.interruptWaits_.load(std::memory_order_relaxed)) [[unlikely]]
        signals_.exit_.leaveFor(CodeletFault::Kind::Interrupted);
    }
    HeldBack(const HeldBack &) = delete;
    HeldBack &operator=(const HeldBack &) = delete;

  private:
    CodeletSignals &signals_;
  };

private:
  static void installHandlers();
  static void onFault(int signal, siginfo_t *info, void *context);
  static void onInterrupt(int signal, siginfo_t *info, void *context);
  // The fences keep the compiler from moving code across, because handlers run on this thread.
  void setInterpreting(TileProcessor *processor) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    interpreting_.store(processor, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  void setHeldBack(bool isHeldBack) {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    heldBack_.store(isHeldBack, std::memory_order_relaxed);
    std::atomic_signal_fence(std::memory_order_seq_cst);
  }

  CodeletExit &exit_;
  ParityGuard &guard_;
  const pthread_t thread_;
  const std::unique_ptr<std::byte[]> stack_; ///< null if the thread had one
  // Written by the thread, read by its handlers.
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<TileProcessor *> interpreting_{nullptr};
  std::atomic<bool> heldBack_{false};
  std::atomic<bool> interruptWaits_{false};        ///< an interrupt is deferred
  std::atomic<std::uint64_t> interruptedEpoch_{0}; ///< written by interrupt()
};

} // namespace copse::ipud
