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

/// Passes the host's messages from the reactor, which owns the sockets, to the thread that runs the
/// control program. While that thread waits, it runs the reactor itself, so that messages need no
/// thread switch.
///
/// Thread: put...(), dropRows() and returnCredits() on the reactor; stop() on any; take...() and
/// await...() on the run thread. All waits end at stop(), and when the reactor ends.
class HostMailbox {
public:
  using Clock = fabric::Reactor::Clock;

  /// \param reactor  must outlive the mailbox
  explicit HostMailbox(fabric::Reactor &reactor) : reactor_(reactor) {}

  struct Row {
    fabric::Payload payload;
    std::uint64_t sequence = 0;
    bool prefetched = false;
  };

  /// Discards all rows, answers and credits, because another image is loaded.
  void clear();
  /// Discards answers, credits and a stop, because another run begins. Prefetched rows are kept.
  void beginRun();

  void stop(wire::Status why);
  bool stopped() const { return stopped_.load(std::memory_order_relaxed); }
  wire::Status whyStopped() const;

  void putRow(std::uint32_t stream, Row row);
  void dropRows(std::uint32_t stream);
  /// Returns the row if it arrives by \p deadline, which may be in the past; nothing if not, or
  /// after stop().
  std::optional<Row> takeRow(std::uint32_t stream, std::uint64_t sequence,
                             Clock::time_point deadline);
  wire::Result<Row> awaitRow(std::uint32_t stream, std::uint64_t sequence);

  /// Stores an answer. Without a payload, it is Ok or a failure.
  void putAnswer(std::uint64_t request, wire::Status status, fabric::Payload payload);
  wire::Result<fabric::Payload> awaitAnswer(std::uint64_t request);

  /// Waits until fewer than \p window rows are in flight to the host, and counts one more.
  wire::Status awaitCredit(std::uint32_t window);
  /// Counts one more row in flight if that is possible without waiting.
  /// \returns true if the row was counted
  bool takeCredit(std::uint32_t window);
  void returnCredits(std::uint32_t rows);
  /// Waits until the host has processed all sent rows, or the run is stopped.
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
  /// By stream, ordered by sequence number.
  std::map<std::uint32_t, std::deque<Row>> rows_ COPSE_GUARDED_BY(mutex_);
  std::map<std::uint64_t, Answer> answers_ COPSE_GUARDED_BY(mutex_); ///< by request
  std::uint32_t underway_ COPSE_GUARDED_BY(mutex_) = 0;
  wire::Status whyStopped_ COPSE_GUARDED_BY(mutex_);
  std::atomic<bool> stopped_{false}; ///< read in hot loops, so not guarded by the mutex
};

} // namespace copse::ipud
