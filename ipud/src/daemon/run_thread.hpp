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

/// The thread that owns the IPU: does what the host asks for, one request after the other, and
/// answers each. In between it does the reactor's work, so that a request is done by the thread that
/// receives it, and no other need be woken.
///
/// Thread: submit() and forget() on the reactor's.
class RunThread {
public:
  /// \param reactor  of \p host; the run thread does its work while there is no request
  /// \param keys     of this IPU; null: there are none
  RunThread(fabric::Reactor &reactor, ControlSocket &host, HostMailbox &mailbox,
            fabric::LinkNode &links, sync::SyncPort &syncs,
            std::shared_ptr<const fabric::Keyring> keys);
  /// Finishes the request in hand (stop() it first), drops the others, joins.
  ~RunThread();
  RunThread(const RunThread &) = delete;
  RunThread &operator=(const RunThread &) = delete;

  /// Takes a request of the session that is held now; it is dropped if the session is over before
  /// its turn comes.
  void submit(SessionMessage request);
  /// The session is over: what its host has loaded goes before another host's first request is
  /// done, and its requests that still wait are dropped.
  void forget();
  /// A request is being done. Any thread.
  bool busy() const;
  /// Of the IPU, whoever holds it.
  MemoryErrors &memoryErrors() { return *memoryErrors_; }
  /// What it has counted so far: sessions, sockets and memory are the daemon's. Any thread.
  Figures figures();
  /// The same for who asks over the session. Any thread.
  void describe(wire::session::State &state) const;
  /// How far the run is that is going on, if its host wants to be told. Any thread.
  std::optional<wire::session::Progress> progress() const;
  /// Until nothing is being done or waits to be, or for \p time. Any thread.
  void awaitIdle(std::chrono::milliseconds time);

private:
  /// A request, and the session in which it came. Without a message: forget().
  struct Request {
    std::uint64_t session = 0;
    std::optional<SessionMessage> message;
  };
  void loop();
  std::optional<Request> next();
  bool awaitRequest(fabric::Reactor::Clock::time_point deadline);

  /// What a request comes to: the answer's body and payload.
  struct Answer {
    wire::session::Body body;
    std::vector<fabric::Payload> payloads;
  };
  void serve(Request request);
  Answer handle(SessionMessage &request);
  /// As configure() begins: nothing is loaded, and tile memory is given back.
  void unload();
  void leaveOthers();
  /// Before the links forget what they have counted.
  void keepLinkCounters();
  Answer configure(const wire::session::Configure &plan);
  Answer load(const std::vector<fabric::Payload> &frames);
  Answer links();
  Answer vertexCycles();
  Answer stepTimes() const;
  Answer run(const wire::session::Run &order);
  Answer runWatched(const wire::session::Run &order);
  /// Waits for the IPUs of all host programs that share the partition.
  /// \param number  of the place, the same on all
  /// \returns the latest \p now of all of them, or why not all have come
  wire::Result<wire::Cycles> meet(std::uint32_t number, wire::Cycles now);
  wire::session::Done doneAt(wire::Cycles start, wire::Cycles end) const;
  /// No IPU shall wait for this one any more: its host cannot stop those of other hosts.
  void failBarriers(const wire::Status &why);

  /// How the barriers' messages name IPUs and steps.
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
  wire::StepTimes times_;          ///< of the last run
  std::atomic<bool> tells_{false}; ///< of the run that is going on: its host wants its progress
  std::atomic<std::uint64_t> stepsBefore_{0}; ///< steps when it began
  locks::Mutex linksMutex_; ///< also of what the links count since their last reset
  /// By neighbour.
  std::map<std::uint32_t, fabric::LinkCounters> linksBefore_ COPSE_GUARDED_BY(linksMutex_);

  // The run thread's own.
  ModuleStore modules_;
  PlaceInPartition placement_;
  std::chrono::milliseconds timeout_{0};
  std::size_t mostIpus_ = 0; ///< of the partitions so far
  std::unique_ptr<Ipu> ipu_;
  SessionEnvironment::Barriers barriers_;
  std::optional<RemoteRows> rows_;
  std::unique_ptr<SessionEnvironment> environment_; ///< there is one when an image is loaded

  mutable locks::Mutex mutex_;
  bool busy_ COPSE_GUARDED_BY(mutex_) = false;
  std::deque<Request> requests_ COPSE_GUARDED_BY(mutex_);
  bool ending_ COPSE_GUARDED_BY(mutex_) = false;
  locks::Condition changed_;
  std::thread thread_; ///< last: starts when all else is there
};

/// What went over the links, as the session says it.
std::vector<wire::session::LinkTraffic> trafficOf(const std::vector<fabric::LinkCounters> &links);

} // namespace copse::ipud
