#pragma once

#include "locks/mutex.hpp"

#include "fabric/connection_table.hpp"
#include "fabric/keys.hpp"
#include "fabric/reactor.hpp"
#include "fabric/refusals.hpp"
#include "fabric/ring_socket.hpp"
#include "fabric/zmtp_listener.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::fabric {

/// Accepts the peers of a daemon: connections of ZeroMQ's sockets over tcp or ipc; beside an
/// endpoint of ipc without keys, rings in shared memory; within a process, a ROUTER. Each peer has
/// an identity, which is the first frame of its messages, however it has connected.
///
/// At first a peer may send only small messages: Limits::atFirst. The daemon decides which peers
/// may send more.
///
/// Thread: lives on the reactor; send() and payloadTo() on any.
class PeerSockets {
public:
  /// Most peers with rings, each of which may take memory, and most peers over tcp and ipc.
  static constexpr std::size_t kMostRingPeers = 128, kMostStreamPeers = 512;

  /// Sizes of a message, all its frames together [bytes]. For peers with rings or within this
  /// process, which have this user's rights anyway, mostBytes applies from the beginning.
  struct Limits {
    std::uint64_t atFirst = 64 << 10;
    std::uint64_t mostBytes = std::uint64_t{4} << 30;
  };

  /// \param refusals  counts connections that are not accepted
  PeerSockets(Reactor &reactor, zmq::context_t &context, Limits limits,
              std::shared_ptr<Refusals> refusals);
  PeerSockets(const PeerSockets &) = delete;
  PeerSockets &operator=(const PeerSockets &) = delete;

  /// Sets the keys before bind(): accepts only peers with one of these keys, for one of these
  /// roles.
  void useKeys(std::shared_ptr<const Keyring> keys, std::vector<Role> roles);
  wire::Result<std::string> bind(const std::string &endpoint);
  /// \param onWritable  a peer that was Full takes messages again
  /// \param onBad  the connection of a peer has ended by the peer's fault, and why
  void watch(WatchedSocket::OnMessage onMessage, std::function<void()> onWritable,
             std::function<void(const std::string &)> onBad);
  /// Sets a function that is called when a peer's connection has ended. A peer that connects again
  /// has another identity, so no more messages come from the old one. Peers within this process
  /// have no connections. Called before the first of them.
  void watchEnds(std::function<void(const std::string &identity)> onEnd) {
    onEnd_ = std::move(onEnd);
  }
  /// Sets whether the peer with that identity may send messages up to Limits::mostBytes. The
  /// connection of such a peer is never evicted. Reactor's thread.
  void allow(const std::string &identity, bool isAllowed);
  Sent send(Frames &frames);
  /// Returns true if the peer with that identity is connected over tcp or ipc, where a long message
  /// delays those behind it. Any thread.
  static bool isStream(const std::string &identity);
  /// Returns memory for a frame of one message to the peer with that identity. Any thread.
  Payload payloadTo(const std::string &identity, std::size_t bytes);
  /// Waits a short time until all messages to the peer with that identity are sent. Reactor's
  /// thread.
  void drain(const std::string &identity, std::chrono::milliseconds timeout);

private:
  struct StreamPeer {
    std::string identity;
    std::unique_ptr<ZmtpSocket> socket;
  };

  wire::Result<std::string> bindRouter(const std::string &endpoint);
  wire::Result<std::string> bindStreams(const Endpoint &endpoint);
  void addStream(std::unique_ptr<ZmtpSocket> socket, const std::string &origin);
  void addRings(std::unique_ptr<RingSocket> peer);
  void receive(const std::string &identity, Frames frames);
  void removeStream(const std::string &identity, const wire::Status &why);
  void removeRings(const std::string &identity, const wire::Status &why);
  std::shared_ptr<StreamPeer> streamOf(const std::string &identity);
  std::shared_ptr<RingSocket> ringsOf(const std::string &identity);
  void told(const std::string &identity, const wire::Status &why);

  Reactor &reactor_;
  zmq::context_t &context_;
  Limits limits_;
  std::shared_ptr<Refusals> refusals_;
  std::shared_ptr<const Keyring> keys_; ///< null: there are no keys
  std::vector<Role> roles_;
  std::optional<WatchedSocket> router_; ///< for an endpoint within this process
  std::unique_ptr<ZmtpListener> streams_;
  std::unique_ptr<RingListener> rings_;
  WatchedSocket::OnMessage onMessage_;
  std::function<void()> onWritable_;
  std::function<void(const std::string &)> onBad_;
  std::function<void(const std::string &)> onEnd_ = [](auto &) {};
  std::uint64_t added_ = 0;
  ConnectionTable<StreamPeer> table_{kMostStreamPeers}; ///< the reactor's thread
  locks::Mutex mutex_;
  std::map<std::string, std::shared_ptr<StreamPeer>>
      streamPeers_ COPSE_GUARDED_BY(mutex_); ///< by identity
  std::map<std::string, std::shared_ptr<RingSocket>>
      ringPeers_ COPSE_GUARDED_BY(mutex_); ///< by identity
};

} // namespace copse::fabric
