#pragma once

#include "locks/mutex.hpp"

#include "fabric/keys.hpp"
#include "fabric/reactor.hpp"
#include "fabric/ring_socket.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

/// Where others reach a daemon: a ROUTER, and beside it a place for rings in shared memory, if its
/// endpoint is one of this machine and there are no keys. Each peer has an identity, which is the
/// first frame of its messages, whichever way it has come.
///
/// Thread: lives on the reactor; send() on any.
class PeerSockets {
public:
  /// Of peers with rings, each of which may take memory.
  static constexpr std::size_t kMostRingPeers = 128;

  /// \param mostBytes  of a frame that is taken; none: as sockets and rings have it
  PeerSockets(Reactor &reactor, zmq::context_t &context,
              std::optional<std::uint64_t> mostBytes = {});

  /// Before bind(): only who has one of these keys, for one of these roles, gets in.
  void useKeys(const Keyring &keys, std::initializer_list<Role> roles);
  wire::Result<std::string> bind(const std::string &endpoint);
  /// \param onWritable  a peer that was Full takes messages again
  /// \param onBad       somebody's connection was refused or has ended, and why
  void watch(WatchedSocket::OnMessage onMessage, std::function<void()> onWritable,
             std::function<void(const std::string &)> onBad);
  Sent send(Frames &frames);
  /// Memory for a frame of one message to the peer of that identity. Any thread.
  Payload payloadTo(const std::string &identity, std::size_t bytes);
  void linger(std::chrono::milliseconds time) { router_.linger(time); }

private:
  void add(std::unique_ptr<RingSocket> peer);
  void remove(const std::string &identity, const wire::Status &why);
  std::shared_ptr<RingSocket> peerOf(const std::string &identity);

  Reactor &reactor_;
  WatchedSocket router_;
  std::optional<std::uint64_t> mostBytes_;
  std::unique_ptr<RingListener> listener_;
  WatchedSocket::OnMessage onMessage_;
  std::function<void()> onWritable_;
  std::function<void(const std::string &)> onBad_;
  std::uint64_t added_ = 0;
  bool hasKeys_ = false;
  locks::Mutex mutex_;
  std::map<std::string, std::shared_ptr<RingSocket>>
      peers_ COPSE_GUARDED_BY(mutex_); ///< with rings, by identity
};

} // namespace copse::fabric
