#pragma once

#include "tls_handshake.hpp"

#include "fabric/endpoint.hpp"
#include "fabric/reactor.hpp"
#include "fabric/tls.hpp"
#include "fabric/transport.hpp"

#include <asio/ip/tcp.hpp>
#include <asio/steady_timer.hpp>

#include <cstddef>
#include <list>
#include <map>
#include <memory>
#include <string>

namespace copse::fabric {

/// Where neighbours send messages to over TLS: one connection from each, which says nothing in the
/// other direction. Until a connection has proved whose it is, it costs a descriptor, a buffer and
/// a few seconds, and there are few of them.
///
/// Thread: the reactor's.
class TlsInbound {
public:
  TlsInbound(Reactor &reactor, std::shared_ptr<const TlsContext> context,
             const TlsOptions &options);
  ~TlsInbound();
  TlsInbound(const TlsInbound &) = delete;
  TlsInbound &operator=(const TlsInbound &) = delete;

  /// Listens at an address of tcp.
  /// \returns the real endpoint, or InvalidOption
  wire::Result<Endpoint> bind(const Endpoint &endpoint);
  /// Uses onMessage and onBad.
  void watch(const Transport::Handlers &handlers);

private:
  class Connection;
  void accept();
  void accepted(asio::ip::tcp::socket socket);
  /// \p connection has proved that it is \p name's: it replaces an older one.
  void admit(const std::shared_ptr<Connection> &connection, const std::string &name);

  std::shared_ptr<const TlsContext> context_;
  TlsOptions options_;
  Transport::Handlers handlers_;
  asio::ip::tcp::acceptor acceptor_;
  asio::steady_timer pause_; ///< when there is no descriptor to be had
  std::map<std::string, std::shared_ptr<Connection>> admitted_; ///< by name
  std::list<std::shared_ptr<Connection>> strangers_; ///< have not proved who they are; oldest first
};

} // namespace copse::fabric
