#pragma once

#include "locks/mutex.hpp"

#include "fabric/keys.hpp"
#include "fabric/reactor.hpp"
#include "fabric/ring_socket.hpp"
#include "ipud/heartbeats.hpp"
#include "ipud/session_message.hpp"
#include "wire/result.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>
#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>

namespace copse::session {

/// The host's end of the session with one ipud: a connection (rings in shared memory for an ipud of
/// this machine, else a DEALER socket), heartbeats, and a watch on the process.
///
/// Thread: lives on the reactor; any thread may call send() and payload().
class IpuLink {
public:
  struct Handlers {
    std::function<void(ipud::SessionMessage)> onMessage; ///< all messages except Heartbeat
    /// The process ended or fell silent; called once.
    std::function<void(const wire::Status &)> onLost;
  };

  /// \param who            name for messages: "ipu 2 (pid 123)"
  /// \param pidDescriptor  becomes readable when the process has ended; -1: a daemon in this
  ///   process. Not owned; must stay open until the link is gone
  IpuLink(fabric::Reactor &reactor, zmq::context_t &context, std::string who, int pidDescriptor,
          std::chrono::milliseconds lease, Handlers handlers);
  ~IpuLink();
  IpuLink(const IpuLink &) = delete;
  IpuLink &operator=(const IpuLink &) = delete;

  /// \param keys  keys of this host; null: none are used
  /// \param name  the ipud's name in the keys, which it must prove
  wire::Status connect(const std::string &endpoint, const fabric::Keyring *keys,
                       const std::string &name);
  void send(ipud::SessionMessage message);
  /// Returns memory for a payload of one message.
  fabric::Payload payload(std::size_t bytes) {
    return rings_ ? rings_->payload(bytes) : fabric::Payload(bytes);
  }

private:
  /// Returns a token for asynchronous handlers. A handler that was already due when its timer was
  /// destroyed is still called after the link is gone, and must check the token.
  std::weak_ptr<const bool> whilePresent() const { return present_; }

  wire::Status dial(const std::string &endpoint, const fabric::Keyring *keys,
                    const std::string &name);
  void ringsEnded(const wire::Status &why);
  void receive(fabric::Frames frames);
  void handle(ipud::SessionMessage message);
  void flush();
  fabric::Sent sendNow(fabric::Frames &frames) COPSE_REQUIRES(mutex_);
  void sendWaiting() COPSE_REQUIRES(mutex_);
  bool isLost();
  void watchProcess();
  void beatSoon();
  void beat();
  void lose(const std::string &why);
  void reportLost(std::string message);

  fabric::Reactor &reactor_;
  fabric::WatchedSocket socket_; ///< unused with rings
  std::unique_ptr<fabric::RingSocket> rings_;
  bool cutsMessages_ = false; ///< sends large messages in pieces: the link is a stream of bytes
  ipud::MessageAssembly assembly_;
  asio::steady_timer timer_;
  asio::posix::stream_descriptor process_;
  std::string who_;
  std::string hint_;     ///< added to errors until the ipud has been heard
  bool isHeard_ = false; ///< true once the ipud has sent something
  std::chrono::milliseconds lease_;
  ipud::Heartbeats heartbeats_;
  Handlers handlers_;
  int silentBeats_ = 0; ///< heartbeats since the ipud was last heard
  locks::Mutex mutex_;
  /// Messages that did not fit into the socket; bounded by the credits of the session.
  std::deque<fabric::Frames> waiting_ COPSE_GUARDED_BY(mutex_);
  bool lost_ COPSE_GUARDED_BY(mutex_) = false;
  const std::shared_ptr<const bool> present_ = std::make_shared<const bool>(true);
};

} // namespace copse::session
