#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"
#include "fabric/payload.hpp"
#include "fabric/reactor.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace copse::fabric {

/// Returns the endpoint at which the process that listens at \p endpoint accepts rings, too
/// (PROTOCOL.md, section 2).
/// \returns nothing if \p endpoint is not on this machine
std::optional<std::string> ringPathOf(const Endpoint &endpoint);

/// One end of a connection through shared memory: a ring for each direction. Messages arrive whole,
/// in order and once, as over a WatchedSocket, without a library's thread in between.
///
/// Life: dial(), or from a RingListener; watch(); send(); destroy; all on the reactor's thread,
/// except for send(), which any thread may call. Handlers may destroy their socket.
class RingSocket {
public:
  struct Handlers {
    std::function<void(Frames)> onMessage;
    /// Called when a socket that refused a message (Sent::Full) takes messages again.
    std::function<void()> onWritable;
    /// Called once, when the connection has ended.
    ///   - Code::Disconnected  the peer has closed the connection, or has ended
    ///   - Code::BadFrame      it has written nonsense
    std::function<void(const wire::Status &)> onEnd;
  };

  /// \returns null if no process listens at \p path, or there is no memory
  static std::unique_ptr<RingSocket> dial(Reactor &reactor, const std::string &path);
  ~RingSocket();
  RingSocket(const RingSocket &) = delete;
  RingSocket &operator=(const RingSocket &) = delete;

  void watch(Handlers handlers);
  /// Sends as WatchedSocket::send() does.
  Sent send(Frames &frames);
  /// Returns memory for a frame of one message, which is then not copied. Any thread; memory of
  /// this process if there is no room.
  Payload payload(std::size_t bytes);

private:
  friend class RingListener;
  class Impl;
  explicit RingSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Accepts the connections of RingSocket::dial() from processes of this user, at a path, which the
/// destructor removes. Lives on the reactor.
class RingListener {
public:
  using OnPeer = std::function<void(std::unique_ptr<RingSocket>)>;
  using OnBad = std::function<void(const std::string &why)>;

  static constexpr std::uint64_t kMostBytes = std::uint64_t{4} << 30;
  /// \param mostBytes  largest frame that is accepted
  /// \returns null if it cannot listen there
  static std::unique_ptr<RingListener> bind(Reactor &reactor, const std::string &path,
                                            std::uint64_t mostBytes = kMostBytes);
  ~RingListener();
  RingListener(const RingListener &) = delete;
  RingListener &operator=(const RingListener &) = delete;

  void watch(OnPeer onPeer, OnBad onBad);

private:
  class Impl;
  explicit RingListener(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

} // namespace copse::fabric
