#pragma once

#include "doorbell.hpp"
#include "local_socket.hpp"
#include "locks/mutex.hpp"
#include "ring_reader.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/reactor.hpp"
#include "fabric/transport.hpp"
#include "wire/result.hpp"

#include <asio/posix/stream_descriptor.hpp>
#include <asio/steady_timer.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace copse::fabric {

/// Where neighbours of this machine bring their rings: a socket at a path, which goes with it.
///
/// Thread: the reactor's, but for poll() and hasMessages(), which any may call.
class ShmInbound {
public:
  /// As those of Transport.
  struct Handlers {
    std::function<void(wire::Result<LinkMessage> &&)> onMessage;
    std::function<bool(DirectPacket &, bool evenIfFull)> onDirect;
    std::function<void(const std::string &why)> onBad;
  };

  /// \param own  bell of this node; outlives this
  ShmInbound(Reactor &reactor, Doorbell &own)
      : reactor_(reactor), own_(own), acceptor_(reactor.io()) {}
  ~ShmInbound();
  ShmInbound(const ShmInbound &) = delete;
  ShmInbound &operator=(const ShmInbound &) = delete;

  /// \returns InvalidOption if nobody can listen there
  wire::Status bind(const Endpoint &endpoint);
  void watch(Handlers handlers);

  /// Hands over what has come, on the calling thread; one thread at a time does, others wait for it.
  /// \param mine  as DirectWays::poll() takes it
  /// \returns whether anything had
  bool poll(const DirectWays::TakePacket &mine);
  /// Whether poll() would hand over something that has not been refused before.
  bool hasMessages();

private:
  /// Shared with the handlers that wait in the loop.
  struct Connection {
    explicit Connection(Reactor &reactor) : socket(reactor.io()), patience(reactor.io()) {}
    asio::posix::stream_descriptor socket;
    asio::steady_timer patience; ///< for a hello
    std::shared_ptr<RingReader> ring;
    std::optional<DirectPacket> held; ///< that was refused; what is behind it stays in the ring
    bool corrupt = false;
  };
  using Shared = std::shared_ptr<Connection>;

  void accept();
  void await(const Shared &connection);
  void receive(const Shared &connection);
  void greet(const Shared &connection, local::Message message);
  void end(const Shared &connection);
  bool read(Connection &connection, int most, const DirectWays::TakePacket &take)
      COPSE_REQUIRES(mutex_);
  bool readNext(Connection &connection, const DirectWays::TakePacket &take) COPSE_REQUIRES(mutex_);
  bool offer(Connection &connection, DirectPacket packet, const DirectWays::TakePacket &take)
      COPSE_REQUIRES(mutex_);
  void breakOff(Connection &connection) COPSE_REQUIRES(mutex_);

  Reactor &reactor_;
  Doorbell &own_;
  std::string path_;
  Handlers handlers_;
  asio::posix::stream_descriptor acceptor_;
  std::shared_ptr<const bool> present_ = std::make_shared<const bool>(true); ///< for handlers
  locks::Mutex mutex_;
  std::vector<Shared> connections_ COPSE_GUARDED_BY(mutex_); ///< with a ring
};

} // namespace copse::fabric
