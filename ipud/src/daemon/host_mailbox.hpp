#pragma once

#include "locks/mutex.hpp"

#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "wire/result.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

namespace copse::ipud {

/// What the host sends to a running control program, from the reactor that owns the sockets to the
/// thread that runs it. While that waits, it does the reactor's work: what it waits for is handled
/// on its own thread.
///
/// Thread: put...(), dropRows() and returnCredits() on the reactor; stop() on any; take...() and
/// await...() on the run thread. All waits end when stop() is called, and with the reactor.
class HostMailbox {
public:
  using Clock = fabric::Reactor::Clock;

  /// \param reactor  outlives the mailbox
  explicit HostMailbox(fabric::Reactor &reactor) : reactor_(reactor) {}

  struct Row {
    fabric::Payload payload;
    std::uint64_t sequence = 0;
    bool prefetched = false;
  };

  /// Forgets all rows, answers and credits: another image is loaded.
  void clear();
  /// Forgets answers and credits, and a stop; rows that were sent ahead stay. Another run begins.
  void beginRun();

  void stop(wire::Status why);
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  wire::Status whyStopped() const;

  void putRow(std::uint32_t stream, Row row);
  void dropRows(std::uint32_t stream);
  /// The row if it comes until \p deadline, which may be over. None also after stop().
  std::optional<Row> takeRow(std::uint32_t stream, std::uint64_t sequence,
                             Clock::time_point deadline);
  wire::Result<Row> awaitRow(std::uint32_t stream, std::uint64_t sequence);

  /// An answer without a payload is Ok or a failure.
  void putAnswer(std::uint64_t request, wire::Status status, fabric::Payload payload);
  wire::Result<fabric::Payload> awaitAnswer(std::uint64_t request);

  /// Waits until fewer than \p window rows are on their way to the host, and counts one more.
  wire::Status awaitCredit(std::uint32_t window);
  /// The same if that means no waiting.
  /// \returns whether it was counted
  bool takeCredit(std::uint32_t window);
  void returnCredits(std::uint32_t rows);
  /// Waits until the host has taken all rows that were sent, or the run is stopped.
  void awaitAllTaken();

private:
  struct Answer {
    wire::Status status;
    fabric::Payload payload;
  };
  template <class Condition>
  bool waitFor(const Condition &condition, Clock::time_point deadline = Clock::time_point::max());
  wire::Status whyNot() const;
  bool takeCreditLocked(std::uint32_t window) COPSE_REQUIRES(mutex_);
  std::optional<Row> takeRowLocked(std::uint32_t stream, std::uint64_t sequence)
      COPSE_REQUIRES(mutex_);

  fabric::Reactor &reactor_;
  mutable locks::Mutex mutex_;
  /// By stream, in order of sequence.
  std::map<std::uint32_t, std::deque<Row>> rows_ COPSE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Answer> answers_ COPSE_GUARDED_BY(mutex_); ///< by request
  std::uint32_t underway_ COPSE_GUARDED_BY(mutex_) = 0;
  wire::Status whyStopped_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> stopped_{false}; ///< asked from signal-free hot loops, so without the mutex
};

} // namespace copse::ipud
