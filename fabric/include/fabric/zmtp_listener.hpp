#pragma once

#include "fabric/endpoint.hpp"
#include "fabric/frames.hpp"
#include "fabric/keys.hpp"
#include "fabric/refusals.hpp"
#include "wire/result.hpp"

#include <asio/io_context.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace copse::fabric {

/// The event loop of connections.
struct StreamLoop {
  asio::io_context &io;
  /// Runs work on the loop's thread soon. Thread: any.
  std::function<void(std::function<void()>)> post;
};

/// A server's end of a connection whose other end is a socket of ZeroMQ. Messages arrive whole, in
/// order and once.
///
/// Life: from a ZmtpListener; watch(); send(); destroy; all on the loop's thread, except for
/// send(), which any thread may call. Handlers may destroy their socket.
class ZmtpSocket {
public:
  struct Handlers {
    std::function<void(Frames)> onMessage;
    /// Called when a socket that refused a message (Sent::Full) takes messages again.
    std::function<void()> onWritable = [] {};
    /// Called once, when the connection has ended, but not after the socket was destroyed.
    ///   - Code::Disconnected  the peer has closed the connection, or has ended
    ///   - Code::BadFrame      it has sent something that is not allowed
    std::function<void(const wire::Status &)> onEnd = [](const wire::Status &) {};
  };

  ~ZmtpSocket();
  ZmtpSocket(const ZmtpSocket &) = delete;
  ZmtpSocket &operator=(const ZmtpSocket &) = delete;

  /// Returns the name of the node at the other end, among the keys; empty without keys.
  const std::string &name() const;
  void watch(Handlers handlers);
  /// Limits a message, all its frames together, that begins from now on [bytes]: a message that
  /// declares more ends the connection.
  void limit(std::uint64_t mostBytes);
  /// Sends as WatchedSocket::send() does.
  Sent send(Frames &frames);
  /// Waits until all messages of send() are sent, or the time is over. The connection is not used
  /// afterwards.
  void drain(std::chrono::milliseconds timeout);

private:
  friend class ZmtpListener;
  class Impl;
  explicit ZmtpSocket(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<Impl> impl_;
};

/// Listens for sockets of ZeroMQ over tcp or ipc. libzmq's own listening sockets allocate the size
/// that a peer declares before it has authenticated, and accept any number of such peers; so an
/// attacker could exhaust a daemon's memory. This listener gives a peer that has not authenticated
/// ("pending") a kilobyte and three seconds, and has at most kMostPending of them.
///
/// Life: bind(), watch(), destroy; all on the loop's thread.
class ZmtpListener {
public:
  static constexpr std::size_t kMostPending = 32;

  struct Options {
    std::shared_ptr<const Keyring> keys; ///< null: all peers are accepted
    std::vector<Role> roles{};           ///< with keys: roles that are accepted
    std::string ownType;                 ///< type of ZeroMQ socket, such as "ROUTER"
    std::vector<std::string> peerTypes;  ///< types that are accepted
    std::uint64_t mostBytes = 0;         ///< largest message, until ZmtpSocket::limit()
    std::shared_ptr<Refusals> refusals;  ///< counts connections that are not accepted
  };
  /// \param origin  name of the node among the keys, or the address that the peer comes from
  using OnPeer = std::function<void(std::unique_ptr<ZmtpSocket>, const std::string &origin)>;

  ZmtpListener(StreamLoop loop, Options options);
  ~ZmtpListener();
  ZmtpListener(const ZmtpListener &) = delete;
  ZmtpListener &operator=(const ZmtpListener &) = delete;

  /// \returns as StreamListener::bind()
  wire::Result<Endpoint> bind(const Endpoint &endpoint);
  void watch(OnPeer onPeer);

private:
  class Impl;
  std::shared_ptr<Impl> impl_;
};

} // namespace copse::fabric
