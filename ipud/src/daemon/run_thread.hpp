#pragma once

#include "control_socket.hpp"
#include "host_mailbox.hpp"
#include "locks/mutex.hpp"
#include "module_store.hpp"
#include "run_counters.hpp"
#include "session_environment.hpp"

#include "fabric/link_node.hpp"
#include "fabric/reactor.hpp"
#include "ipud/figures.hpp"
#include "ipud/ipu.hpp"
#include "ipud/run_progress.hpp"
#include "sync/barrier.hpp"

#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace copse::ipud {

/// The thread that owns the IPU. This thread executes the host's requests one after another, and
/// answers each. Between requests it runs the reactor, so that the thread that receives a request
/// also executes it, without a thread switch.
///
/// Thread: submit() and forget() on the reactor's thread.
class RunThread {
public:
  /// \param reactor  the reactor of \p host; the run thread drives it while there is no request
  /// \param keys     keys of this IPU; null: none are used
  RunThread(fabric::Reactor &reactor, ControlSocket &host, HostMailbox &mailbox,
            fabric::LinkNode &links, sync::SyncPort &syncs,
            std::shared_ptr<const fabric::Keyring> keys);
  /// Finishes the current request (call stop() first), drops the others, and joins the thread.
  ~RunThread();
  RunThread(const RunThread &) = delete;
  RunThread &operator=(const RunThread &) = delete;

  /// Queues a request of the current session. The request is dropped if the session ends before its
  /// turn.
  void submit(SessionMessage request);
  /// Ends the session: drops its waiting requests, and unloads the IPU before the first request of
  /// another host.
  void forget();
  /// Returns true while a request is being executed. Any thread.
  bool busy() const;
  /// Returns the parity errors of the IPU, which outlive sessions.
  MemoryErrors &memoryErrors() { return *memoryErrors_; }
  /// Returns the current counters, without sessions, sockets and memory, which the daemon knows.
  /// Any thread.
  Figures figures();
  /// Writes these counters to the state that the session reports. Any thread.
  void describe(wire::session::State &state) const;
  /// Returns the progress of the current run if its host wants it. Any thread.
  std::optional<wire::session::Progress> progress() const;
  /// Waits until there is no request, or for \p time. Any thread.
  void awaitIdle(std::chrono::milliseconds time);

private:
  /// A request and its session. Without a message, it is a forget().
  struct Request {
    std::uint64_t session = 0;
    std::optional<SessionMessage> message;
  };
  void loop();
  std::optional<Request> next();
  bool awaitRequest(fabric::Reactor::Clock::time_point deadline);

  /// The answer to a request.
  struct Answer {
    wire::session::Body body;
    std::vector<fabric::Payload> payloads;
  };
  void serve(Request request);
  Answer handle(SessionMessage &request);
  /// Unloads the image and frees tile memory.
  void unload();
  void leaveOthers();
  /// Saves the counters of the links before they are reset.
  void keepLinkCounters();
  Answer configure(const wire::session::Configure &plan);
  Answer load(const std::vector<fabric::Payload> &frames);
  Answer links();
  Answer vertexCycles();
  Answer stepTimes() const;
  Answer run(const wire::session::Run &order);
  Answer runWatched(const wire::session::Run &order);
  /// Waits for the IPUs of all host programs that share the partition.
  /// \param number  number of the sync point, equal on all IPUs
  /// \returns the latest \p now of all IPUs, or why some did not arrive
  wire::Result<wire::Cycles> meet(std::uint32_t number, wire::Cycles now);
  wire::Status agreeOnProgramTime(const wire::session::Run &order, wire::Cycles start);
  wire::session::Done doneAt(wire::Cycles start, wire::Cycles end) const;
  /// Ends the waits of other IPUs for this one, because its host cannot stop IPUs of other hosts.
  void failBarriers(const wire::Status &why);

  /// Returns the names of IPUs and steps in the barriers' messages.
  sync::BarrierNames namesFor(const wire::session::Configure &plan, wire::SyncGroup group);
  wire::Status checkRoomFor(std::size_t ipus);
  wire::Status joinOthers(const wire::session::Configure &plan, const clock::TimingModel &timing);

  fabric::Reactor &reactor_;
  ControlSocket &host_;
  HostMailbox &mailbox_;
  fabric::LinkNode &links_;
  sync::SyncPort &syncs_;
  const std::shared_ptr<const fabric::Keyring> keys_;

  RunCounters counters_;
  const std::shared_ptr<MemoryErrors> memoryErrors_ = std::make_shared<MemoryErrors>();
  const std::shared_ptr<RunProgress> progress_ = std::make_shared<RunProgress>();
  wire::StepTimes times_;                     ///< times of the last run's steps
  std::atomic<bool> tells_{false};            ///< the host of the current run wants its progress
  std::atomic<std::uint64_t> stepsBefore_{0}; ///< number of steps before the current run
  locks::Mutex linksMutex_; ///< also guards the links' counts since their last reset
  /// By neighbour.
  std::map<std::uint32_t, fabric::LinkCounters> linksBefore_ COPSE_GUARDED_BY(linksMutex_);

  // Owned by the run thread.
  ModuleStore modules_;
  PlaceInPartition placement_;
  std::chrono::milliseconds timeout_{0};
  std::size_t mostIpus_ = 0; ///< largest partition so far
  std::unique_ptr<Ipu> ipu_;
  SessionEnvironment::Barriers barriers_;
  std::optional<RemoteRows> rows_;
  std::unique_ptr<SessionEnvironment> environment_; ///< set while an image is loaded

  mutable locks::Mutex mutex_;
  bool busy_ COPSE_GUARDED_BY(mutex_) = false;
  std::deque<Request> requests_ COPSE_GUARDED_BY(mutex_);
  bool ending_ COPSE_GUARDED_BY(mutex_) = false;
  locks::Condition changed_;
  std::thread thread_; ///< last member: starts once all others exist
};

/// Returns the traffic of the links as session messages report it.
std::vector<wire::session::LinkTraffic> trafficOf(const std::vector<fabric::LinkCounters> &links);

} // namespace copse::ipud
