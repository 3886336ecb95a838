#pragma once

#include "tls_handshake.hpp"

#include "fabric/connection_table.hpp"
#include "fabric/endpoint.hpp"
#include "fabric/reactor.hpp"
#include "fabric/refusals.hpp"
#include "fabric/stream_listener.hpp"
#include "fabric/tls.hpp"
#include "fabric/transport.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <string>

namespace copse::fabric {

/// Accepts the TLS connections of neighbours, one from each, which carry messages in one direction.
/// Until a connection has proved its peer's name, it costs a descriptor, a buffer and a few
/// seconds, and the number of such connections is small.
///
/// Thread: the reactor's.
class TlsInbound {
public:
  TlsInbound(Reactor &reactor, std::shared_ptr<const TlsContext> context, const TlsOptions &options,
             std::shared_ptr<Refusals> refusals);
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
  void accepted(Descriptor socket, const std::string &origin);
  /// Records that the peer of \p connection has proved that it is \p name. The connection replaces
  /// an older one.
  void admit(const std::shared_ptr<Connection> &connection, const std::string &name);

  /// Connections that have not authenticated yet.
  static constexpr std::size_t kMostPending = 16;

  asio::io_context &io_;
  std::shared_ptr<const TlsContext> context_;
  TlsOptions options_;
  std::shared_ptr<Refusals> refusals_;
  Transport::Handlers handlers_;
  StreamListener listener_;
  std::map<std::string, std::shared_ptr<Connection>> admitted_; ///< by name
  ConnectionTable<Connection> pending_{kMostPending};
};

} // namespace copse::fabric
