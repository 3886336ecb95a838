#pragma once

#include "locks/mutex.hpp"
#include "tile/codelet_thread.hpp"
#include "tile/thread_team.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace copse::ipud {

/// Runs compute sets: hands their tiles out to a few threads; the vertices of a tile run in order
/// on one of them.
///
/// Thread: attachCaller(), run() and detachCaller() by one thread at a time, interrupt() and
/// epoch() by any.
class Dispatcher {
public:
  /// \param team  runs the compute sets; the caller of run() is one of them. Outlives this.
  explicit Dispatcher(ThreadTeam &team);

  /// Lets interrupt() reach the calling thread, until detachCaller(). Around each series of run().
  void attachCaller();
  void detachCaller();

  struct Outcome {
    bool all = true; ///< AND of what the vertices returned
    /// The first vertex, in the order of the image, that faulted.
    std::optional<CodeletFault> fault;
  };
  /// \param share  whether the compute set is large enough to wake the other threads for it
  Outcome run(const Vertices &vertices, bool share);

  /// Odd while a compute set runs; every compute set has another one.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
  /// Makes every thread leave its codelet, if the compute set of \p epoch still runs: run() comes
  /// back with a fault.
  void interrupt(std::uint64_t epoch);

private:
  void work(const Vertices &vertices, std::uint32_t tilesAtOnce, Outcome &outcome);
  void note(const CodeletFault &fault, Outcome &outcome);

  ThreadTeam &team_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint32_t> nextTile_{0}; ///< of the compute set, not yet handed out
  std::atomic<bool> failed_{false};        ///< nothing more is handed out
  locks::Mutex mutex_;                     ///< also of an Outcome that threads share
  /// Shape [threads]; null: not attached.
  std::vector<CodeletThread *> threads_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
