#pragma once

#include "ring_handshake.hpp"

#include "fabric/descriptor.hpp"
#include "fabric/reactor.hpp"

#include <asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

namespace copse::fabric {

/// Accepts connections with rings from processes of this user, at the path of a socket; the
/// destructor removes the path. A connection that sends nothing for some seconds is closed.
///
/// Thread: the reactor's.
class RingAcceptor {
public:
  struct Handlers {
    /// Called with a connection and the hello that arrived over it. The peer then waits for a
    /// welcome.
    std::function<void(Descriptor connection, ring::Hello hello)> onHello;
    std::function<void(const std::string &why)> onBad;
  };

  /// \param rings  number of rings that each connection must bring
  /// \returns null if it cannot listen there; errno says why
  static std::unique_ptr<RingAcceptor> bind(Reactor &reactor, const std::string &path,
                                            std::size_t rings);
  ~RingAcceptor();
  RingAcceptor(const RingAcceptor &) = delete;
  RingAcceptor &operator=(const RingAcceptor &) = delete;

  void watch(Handlers handlers);

private:
  struct Greeted;
  RingAcceptor(Reactor &reactor, Descriptor listener, std::string path, std::size_t rings);
  void accept();
  void await(const std::shared_ptr<Greeted> &connection);
  void greet(Descriptor connection);

  Reactor &reactor_;
  asio::posix::stream_descriptor acceptor_;
  std::string path_;
  std::size_t rings_;
  Handlers handlers_;
  /// Guards handlers that wait in the loop.
  std::shared_ptr<const bool> present_ = std::make_shared<const bool>(true);
};

} // namespace copse::fabric
