#pragma once

#include "control_socket.hpp"
#include "host_mailbox.hpp"
#include "module_store.hpp"
#include "session_environment.hpp"

#include "fabric/link_node.hpp"
#include "ipud/ipu.hpp"
#include "sync/barrier.hpp"

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

namespace copse::ipud {

/// The thread that owns the IPU: does what the host asks for, one request after the other, and
/// answers each.
///
/// Thread: submit() and stop() on any.
class RunThread {
public:
  RunThread(ControlSocket &host, HostMailbox &mailbox, fabric::LinkNode &links,
            sync::SyncPort &syncs);
  /// Finishes the request in hand (stop() it first), drops the others, joins.
  ~RunThread();
  RunThread(const RunThread &) = delete;
  RunThread &operator=(const RunThread &) = delete;

  /// Takes a request of the session that is held now; it is dropped if the session is over before
  /// its turn comes.
  void submit(SessionMessage request);

private:
  /// A request, and the session in which it came.
  struct Request {
    std::uint64_t session = 0;
    SessionMessage message;
  };
  void loop();
  std::optional<Request> next();

  /// What a request comes to: the answer's body and payload.
  struct Answer {
    wire::session::Body body;
    std::vector<fabric::Payload> payloads;
  };
  Answer handle(SessionMessage &request);
  Answer configure(const wire::session::Configure &plan);
  Answer load(const std::vector<fabric::Payload> &frames);
  Answer links();
  Answer run(const wire::session::Run &order);

  /// How the barriers' messages name IPUs and steps.
  sync::BarrierNames namesFor(const wire::session::Configure &plan);
  wire::Status joinOthers(const wire::session::Configure &plan, const sync::TimingModel &timing);

  ControlSocket &host_;
  HostMailbox &mailbox_;
  fabric::LinkNode &links_;
  sync::SyncPort &syncs_;

  // The run thread's own.
  ModuleStore modules_;
  Placement placement_;
  std::chrono::milliseconds timeout_{0};
  std::unique_ptr<Ipu> ipu_;
  SessionEnvironment::Barriers barriers_;
  std::unique_ptr<SessionEnvironment> environment_; ///< there is one when an image is loaded

  std::mutex mutex_; ///< guards the next two
  std::deque<Request> requests_;
  bool ending_ = false;
  std::condition_variable changed_;
  std::thread thread_; ///< last: starts when all else is there
};

} // namespace copse::ipud
