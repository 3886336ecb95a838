#pragma once

#include "locks/mutex.hpp"

#include "fabric/keys.hpp"
#include "fabric/reactor.hpp"
#include "fabric/ring_socket.hpp"
#include "wire/result.hpp"

#include <zmq.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace copse::ipud {

/// Where host programs reach the daemon: a ROUTER, and beside it a place for rings in shared memory,
/// if its endpoint is one of this machine. Each peer has an identity, which is the first frame of
/// its messages, whichever way it has come.
///
/// Thread: lives on the reactor; send() on any.
class HostSockets {
public:
  HostSockets(fabric::Reactor &reactor, zmq::context_t &context);

  /// Before bind(): only host programs that have one of these keys get in.
  void useKeys(const fabric::Keyring &keys);
  wire::Result<std::string> bind(const std::string &endpoint);
  /// \param onWritable  a peer that was Full takes messages again
  /// \param onBad       somebody's connection was refused or has ended, and why
  void watch(fabric::WatchedSocket::OnMessage onMessage, std::function<void()> onWritable,
             std::function<void(const std::string &)> onBad);
  fabric::Sent send(fabric::Frames &frames);
  /// Memory for a frame of one message to the peer of that identity. Any thread.
  fabric::Payload payloadTo(const std::string &identity, std::size_t bytes);
  void linger(std::chrono::milliseconds time) { router_.linger(time); }

private:
  void add(std::unique_ptr<fabric::RingSocket> peer);
  void remove(const std::string &identity, const wire::Status &why);
  std::shared_ptr<fabric::RingSocket> peerOf(const std::string &identity);

  fabric::Reactor &reactor_;
  fabric::WatchedSocket router_;
  std::unique_ptr<fabric::RingListener> listener_;
  fabric::WatchedSocket::OnMessage onMessage_;
  std::function<void()> onWritable_;
  std::function<void(const std::string &)> onBad_;
  std::uint64_t added_ = 0;
  bool hasKeys_ = false;
  locks::Mutex mutex_;
  std::map<std::string, std::shared_ptr<fabric::RingSocket>>
      peers_ COPSE_GUARDED_BY(mutex_); ///< with rings, by identity
};

} // namespace copse::ipud
