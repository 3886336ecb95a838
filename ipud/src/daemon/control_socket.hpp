#pragma once

#include "locks/mutex.hpp"

#include "fabric/keys.hpp"
#include "fabric/peer_sockets.hpp"
#include "fabric/reactor.hpp"
#include "ipud/daemon.hpp"
#include "ipud/heartbeats.hpp"
#include "ipud/session_message.hpp"
#include "wire/result.hpp"
#include "wire/session.hpp"

#include <asio/steady_timer.hpp>
#include <spdlog/logger.h>
#include <zmq.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::ipud {

/// The daemon's end of the session. It takes many peers, as a ROUTER does, so that a stranger who connects
/// can neither take the place of the host nor be mistaken for it: one host holds the session at a
/// time, from its Hello until its Detach, or until it falls silent.
///
/// Sessions are numbered, for a host's requests can still be in hand when the next host comes: what
/// belongs to an earlier session is not sent to the later one.
///
/// Thread: lives on the reactor; session() on any thread; answerTo() and post() on one other.
class ControlSocket {
public:
  struct Handlers {
    std::function<void(SessionMessage)> onMessage;   ///< what the host asks of the IPU
    std::function<void(const wire::Status &)> onEnd; ///< the session is over, and why
    /// What the daemon is doing, but for what the socket knows itself.
    std::function<wire::session::State()> onInspect;
    std::function<void()> onReset = [] {};
    /// How far a run is, if the host wants to know: it is sent in the place of a heartbeat.
    std::function<std::optional<wire::session::Progress>()> onBeat = [] { return std::nullopt; };
    std::function<void(wire::session::InjectError)> onInject = [](auto) {};
  };

  /// \param refusals  counts connections that do not get in
  ControlSocket(fabric::Reactor &reactor, zmq::context_t &context,
                std::shared_ptr<spdlog::logger> log, std::shared_ptr<fabric::Refusals> refusals);

  /// Before bind(): only host programs that have one of these keys get in.
  void useKeys(std::shared_ptr<const fabric::Keyring> keys);
  wire::Result<std::string> bind(const std::string &endpoint);
  /// Begins to listen to hosts.
  void open(Handlers handlers, HostWatch watch);

  /// Messages that were dropped.
  std::uint64_t dropped() const { return dropped_; }
  /// Whether a host holds the session. Reactor's thread.
  bool held() const { return !host_.empty(); }
  /// Number of the session that is held now, or was last.
  std::uint64_t session() const { return session_.load(); }
  /// What is posted from now on belongs to that session.
  void answerTo(std::uint64_t session) { answering_ = session; }
  /// The ipud is about to end: tells the host, and gives the message time to leave. Reactor's
  /// thread.
  void sayEnding(const wire::Status &why);
  /// Sends to the host, in the order of posting; dropped when the session is over.
  void post(wire::session::Header header, std::vector<fabric::Payload> payloads = {});
  /// Memory for a payload of one message to the host. Any thread.
  fabric::Payload payload(std::size_t bytes);

private:
  void receive(fabric::Frames frames);
  void receiveOfHost(SessionMessage message);
  void greet(const std::string &peer, const wire::session::Header &header);
  void send(SessionMessage message);
  void sendToHost(SessionMessage message) COPSE_REQUIRES(mutex_);
  void answer(const std::string &peer, std::uint64_t request, wire::session::Body body);
  void flush();
  void beatSoon();
  void sendWaiting() COPSE_REQUIRES(mutex_);
  void beat();
  void detach(std::uint64_t request);
  /// The kernel closes what a process had when it ends, so its IPUs need not wait for the lease.
  void connectionEnded(const std::string &peer);
  void end(const wire::Status &why);
  void reset(const std::string &peer, std::uint64_t request);
  void inspect(const std::string &peer, std::uint64_t request);
  void announce(std::uint64_t request, wire::session::Share share);
  void drop(const std::string &why);

  fabric::PeerSockets socket_;
  asio::steady_timer timer_;
  std::shared_ptr<spdlog::logger> log_;
  Handlers handlers_;
  HostWatch watch_ = HostWatch::Heartbeats;
  std::atomic<std::uint64_t> session_{0};
  std::uint64_t answering_ = 0; ///< of the posting thread
  std::string holder_;          ///< what the host calls itself
  std::uint64_t token_ = 0;     ///< Hello::token of the host
  Heartbeats heartbeats_;
  int silentBeats_ = 0;      ///< since the host was last heard
  std::uint64_t heard_ = 0;  ///< messages of the host
  MessageAssembly assembly_; ///< of what the host sends
  std::optional<wire::session::Share>
      share_; ///< what the host has announced, or the one before it that failed
  std::atomic<std::uint64_t> dropped_{0};
  locks::Mutex
      mutex_;        ///< of host_ too, which the reactor's thread alone changes, so it reads freely
  std::string host_; ///< identity of the peer that holds the session; empty: nobody
  /// Refused for want of room; bounded by the credits of the session.
  std::deque<fabric::Frames> waiting_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
