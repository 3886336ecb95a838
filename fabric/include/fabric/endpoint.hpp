#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace copse::fabric {

/// The transport of messages between two nodes.
enum class TransportKind : std::uint8_t {
  Inproc, ///< within one process and one ZeroMQ context
  Ipc,    ///< between processes of one machine
  Shm,    ///< between processes of one machine, through shared memory
  Tcp,    ///< between machines; beyond loopback with keys only
};

/// Returns the transport that options and environment variables call "inproc", "ipc", "shm" or
/// "tcp"; nothing for another word.
std::optional<TransportKind> transportNamed(std::string_view word);

/// The address at which a socket listens, or to which it connects. Its text is "inproc://NAME",
/// "ipc://PATH" or "tcp://HOST:PORT", as in ZeroMQ, or "shm://PATH". No other code parses such a
/// text.
class Endpoint {
public:
  /// Returns loopback, at a port that the OS chooses.
  Endpoint() : Endpoint(TransportKind::Tcp, "127.0.0.1", 0) {}

  /// \param name  unique in the ZeroMQ context
  static Endpoint inproc(std::string name) { return {TransportKind::Inproc, std::move(name), 0}; }
  /// \param path  path of the socket file; for a listener, in a directory of the caller's (0700)
  static Endpoint ipc(std::string path) { return {TransportKind::Ipc, std::move(path), 0}; }
  /// \param path  as for ipc()
  static Endpoint shm(std::string path) { return {TransportKind::Shm, std::move(path), 0}; }
  /// \param host  a name, an address (an IPv6 one in brackets), or for a listener "*", all
  ///   interfaces
  /// \param port  0, for a listener: the OS chooses one
  static Endpoint tcp(std::string host, std::uint16_t port = 0) {
    return {TransportKind::Tcp, std::move(host), port};
  }

  /// Parses the text of an endpoint.
  /// \returns InvalidOption, saying what to write instead
  static wire::Result<Endpoint> parse(const std::string &text);
  /// Parses an endpoint to which other processes connect. In addition to parse(), refuses a
  /// wildcard, port 0, a relative path and inproc.
  static wire::Result<Endpoint> parseReachable(const std::string &text);

  TransportKind transport() const { return transport_; }
  /// Returns true if the endpoint is a path on this machine.
  bool isLocal() const {
    return transport_ == TransportKind::Ipc || transport_ == TransportKind::Shm;
  }
  /// Returns the name of Inproc, the path of Ipc and Shm, the host of Tcp.
  const std::string &place() const { return place_; }
  std::uint16_t port() const { return port_; } ///< port of Tcp; 0: the OS chooses
  /// Returns the host of Tcp without the brackets of an IPv6 address, as resolvers expect it.
  std::string bareHost() const;
  std::string text() const;
  friend bool operator==(const Endpoint &, const Endpoint &) = default;

private:
  Endpoint(TransportKind transport, std::string place, std::uint16_t port)
      : transport_(transport), place_(std::move(place)), port_(port) {}

  TransportKind transport_;
  std::string place_;
  std::uint16_t port_;
};

/// Splits "HOST:PORT", of which HOST may be "[v6 address]".
/// \returns nothing for another form
std::optional<std::pair<std::string, std::uint16_t>> splitHostPort(const std::string &text);

/// Returns true if \p host may be a host's name. Service names of compose files may have
/// underscores, which DNS forbids for hosts.
bool isName(const std::string &host);

/// Returns true if \p host is a numeric address, an IPv6 one in brackets.
bool isAddress(const std::string &host);

/// Returns true if only this machine reaches \p host.
bool isLoopback(const std::string &host);

/// Returns the address at which to listen for peers that reach this machine as \p host: \p host
/// itself if it is an address, loopback for "localhost", else all interfaces, as a name can stand
/// for any.
std::string interfaceOf(const std::string &host);

} // namespace copse::fabric
