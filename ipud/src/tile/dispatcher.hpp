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

/// Runs compute sets: distributes their tiles among a few threads. The vertices of a tile run in
/// order on one thread.
///
/// Thread: one thread at a time calls attachCaller(), run() and detachCaller(); any thread may call
/// interrupt() and epoch().
class Dispatcher {
public:
  /// \param team  runs the compute sets, with the caller of run() as a member; must outlive this
  ///   object
  explicit Dispatcher(ThreadTeam &team);

  /// Lets interrupt() reach the calling thread until detachCaller(). Call around each series of
  /// run().
  void attachCaller();
  void detachCaller();

  struct Outcome {
    bool all = true; ///< AND of the vertices' results
    /// The fault of the first vertex, in the order of the image, that faulted.
    std::optional<CodeletFault> fault;
  };
  /// \param share  true if the compute set is large enough that waking the other threads pays off
  Outcome run(const Vertices &vertices, bool share);

  /// Returns a number that differs for every compute set, and is odd while one runs.
  std::uint64_t epoch() const { return epoch_.load(std::memory_order_relaxed); }
  /// Makes every thread leave its codelet, if the compute set of \p epoch still runs; run() then
  /// returns a fault.
  void interrupt(std::uint64_t epoch);

private:
  void work(const Vertices &vertices, std::uint32_t tilesAtOnce, Outcome &outcome);
  void note(const CodeletFault &fault, Outcome &outcome);

  ThreadTeam &team_;
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<std::uint32_t> nextTile_{0}; ///< next tile of the compute set to hand out
  std::atomic<bool> failed_{false};        ///< no more tiles are handed out
  locks::Mutex mutex_;                     ///< also guards an Outcome that threads share
  /// Shape [threads]; null: not attached.
  std::vector<CodeletThread *> threads_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
