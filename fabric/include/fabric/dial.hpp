#pragma once

#include "fabric/endpoint.hpp"

#include <zmq.hpp>

#include <string>

namespace copse::fabric {

/// A try to connect over TCP that nobody has answered for so long is given up for a new one [ms].
inline constexpr int kDialMs = 1000;

/// Whether \p endpoint has a numeric address of IPv6. A name stands for an address of IPv4.
inline bool isIpv6(const std::string &endpoint) {
  const auto parsed = Endpoint::parse(endpoint);
  return parsed && parsed->transport() == TransportKind::Tcp && parsed->place().starts_with('[');
}

/// Connects \p socket to \p endpoint, again and again until somebody answers there. A name is
/// looked up for each try: a container that was replaced has another address, and the system would
/// go on asking at the old one for longer than a lease.
/// \throws zmq::error_t when \p endpoint is none
inline void dial(zmq::socket_t &socket, const std::string &endpoint) {
  socket.set(zmq::sockopt::connect_timeout, kDialMs);
  socket.set(zmq::sockopt::ipv6, isIpv6(endpoint)); // without it ZeroMQ takes no such address
  socket.connect(endpoint);
}

} // namespace copse::fabric
