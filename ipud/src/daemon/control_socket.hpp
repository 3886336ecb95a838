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

/// The daemon's end of the session. The socket accepts many peers, so that a stranger can neither
/// displace the host nor be mistaken for it. One host at a time holds the session, from its Hello
/// until its Detach or until it falls silent.
///
/// Sessions are numbered, because requests of one host may still be in progress when the next host
/// connects. Answers of an earlier session are not sent to a later one.
///
/// Thread: lives on the reactor. Any thread may call session(); one other thread may call
/// answerTo() and post().
class ControlSocket {
public:
  struct Handlers {
    std::function<void(SessionMessage)> onMessage;   ///< handles a request of the host
    std::function<void(const wire::Status &)> onEnd; ///< the session has ended, with the reason
    /// Returns the daemon's state, without what the socket knows itself.
    std::function<wire::session::State()> onInspect;
    std::function<void()> onReset = [] {};
    /// Returns the progress of the run if the host wants it; sent instead of a heartbeat.
    std::function<std::optional<wire::session::Progress>()> onBeat = [] { return std::nullopt; };
    std::function<void(wire::session::InjectError)> onInject = [](auto) {};
  };

  /// \param refusals  counts refused connections
  ControlSocket(fabric::Reactor &reactor, zmq::context_t &context,
                std::shared_ptr<spdlog::logger> log, std::shared_ptr<fabric::Refusals> refusals);

  /// Sets the keys before bind(): only host programs that have one of these keys get in.
  void useKeys(std::shared_ptr<const fabric::Keyring> keys);
  wire::Result<std::string> bind(const std::string &endpoint);
  /// Starts to receive from hosts.
  void open(Handlers handlers, HostWatch watch);

  /// Returns the number of dropped messages.
  std::uint64_t dropped() const { return dropped_; }
  /// Returns true if a host holds the session. Reactor's thread only.
  bool held() const { return !host_.empty(); }
  /// Returns the name that the host gives itself; empty if no host holds the IPU.
  std::string holder() const { return held() ? holder_ : ""; }
  /// Returns the number of the current session, or of the last one.
  std::uint64_t session() const { return session_.load(); }
  /// Makes later post() calls belong to \p session.
  void answerTo(std::uint64_t session) { answering_ = session; }
  /// Tells the host that the ipud is about to end, and gives the message time to leave. Reactor's
  /// thread only.
  void sayEnding(const wire::Status &why);
  /// Sends to the host in the order of the calls; drops the message if the session is over.
  void post(wire::session::Header header, std::vector<fabric::Payload> payloads = {});
  /// Returns memory for a payload of one message to the host. Any thread.
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
  /// Ends the session if its host's connection ends. The kernel closes the connections of a process
  /// that ends, so that its IPUs need not wait for the lease.
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
  std::uint64_t answering_ = 0; ///< belongs to the posting thread
  std::string holder_;          ///< the host's name for itself
  std::uint64_t token_ = 0;     ///< Hello::token of the host
  Heartbeats heartbeats_;
  int silentBeats_ = 0;      ///< heartbeats since the last message of the host
  std::uint64_t heard_ = 0;  ///< number of messages from the host
  MessageAssembly assembly_; ///< joins the pieces of the host's messages
  /// Share of this host, or of the previous one if that failed.
  std::optional<wire::session::Share> share_;
  std::atomic<std::uint64_t> dropped_{0};
  /// Guards host_ too, although the reactor's thread, which alone changes host_, reads it without
  /// locking.
  locks::Mutex mutex_;
  std::string host_; ///< identity of the peer that holds the session; empty: none
  /// Messages that did not fit into the socket; bounded by the credits of the session.
  std::deque<fabric::Frames> waiting_ COPSE_GUARDED_BY(mutex_);
};

} // namespace copse::ipud
