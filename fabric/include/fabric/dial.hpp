#pragma once

#include "fabric/endpoint.hpp"

#include <zmq.hpp>

#include <string>

namespace copse::fabric {

/// The time after which an unanswered attempt to connect over TCP is repeated [ms].
inline constexpr int kDialMs = 1000;

/// Returns true if \p endpoint has a numeric address of IPv6. A name always means an address of
/// IPv4.
inline bool isIpv6(const std::string &endpoint) {
  const auto parsed = Endpoint::parse(endpoint);
  return parsed && parsed->transport() == TransportKind::Tcp && parsed->place().starts_with('[');
}

/// Connects \p socket to \p endpoint, and repeats that until a peer answers there. Each attempt
/// looks the name up again: a container that was replaced has another address, and the system would
/// continue with the old one for longer than a lease.
/// \throws zmq::error_t if \p endpoint is not valid
inline void dial(zmq::socket_t &socket, const std::string &endpoint) {
  socket.set(zmq::sockopt::connect_timeout, kDialMs);
  socket.set(zmq::sockopt::ipv6, isIpv6(endpoint)); // without it ZeroMQ accepts no such address
  socket.connect(endpoint);
}

} // namespace copse::fabric
