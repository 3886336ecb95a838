#pragma once

#include "wire/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace copse::fabric {

/// The carrier of messages between two nodes.
enum class TransportKind : std::uint8_t {
  Inproc, ///< within one process and one ZeroMQ context
  Ipc,    ///< between processes of one machine
  Shm,    ///< the same, through shared memory
  Tcp,    ///< between machines; beyond loopback with keys only
};

/// The transport that options and environment variables call "inproc", "ipc", "shm" or "tcp"; nothing
/// for another word.
std::optional<TransportKind> transportNamed(std::string_view word);

/// Where a socket listens, or connects to. Its text is that of ZeroMQ, "inproc://NAME",
/// "ipc://PATH" or "tcp://HOST:PORT", or "shm://PATH". This is the only place that takes such a text
/// apart.
class Endpoint {
public:
  /// Loopback, at a port that the OS picks.
  Endpoint() : Endpoint(TransportKind::Tcp, "127.0.0.1", 0) {}

  /// \param name  unique in the ZeroMQ context
  static Endpoint inproc(std::string name) { return {TransportKind::Inproc, std::move(name), 0}; }
  /// \param path  of the socket file; for a listener, in a directory of the caller's (0700)
  static Endpoint ipc(std::string path) { return {TransportKind::Ipc, std::move(path), 0}; }
  /// \param path  as for ipc()
  static Endpoint shm(std::string path) { return {TransportKind::Shm, std::move(path), 0}; }
  /// \param host  a name, an address (an IPv6 one in brackets), or for a listener "*", all
  ///   interfaces
  /// \param port  0, for a listener: the OS picks one
  static Endpoint tcp(std::string host, std::uint16_t port = 0) {
    return {TransportKind::Tcp, std::move(host), port};
  }

  /// \returns InvalidOption, saying what to write instead
  static wire::Result<Endpoint> parse(const std::string &text);
  /// As parse(), for an endpoint that others connect to: no wildcard, no port for the OS to pick,
  /// an absolute path, nothing within a process.
  static wire::Result<Endpoint> parseReachable(const std::string &text);

  TransportKind transport() const { return transport_; }
  /// Whether it is a path on this machine.
  bool isLocal() const {
    return transport_ == TransportKind::Ipc || transport_ == TransportKind::Shm;
  }
  /// The name of Inproc, the path of Ipc and Shm, the host of Tcp.
  const std::string &place() const { return place_; }
  std::uint16_t port() const { return port_; } ///< of Tcp; 0: the OS picks
  /// Of Tcp: the host without the brackets of an IPv6 address, as resolvers take it.
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

/// "HOST:PORT", of which HOST may be "[v6 address]"; nothing if it is not of that form.
std::optional<std::pair<std::string, std::uint16_t>> splitHostPort(const std::string &text);

/// Whether \p host may be a host's name. Service names of compose files may have underscores, which
/// DNS forbids for hosts.
bool isName(const std::string &host);

/// Whether \p host is a numeric address, an IPv6 one in brackets.
bool isAddress(const std::string &host);

/// Whether only this machine reaches \p host.
bool isLoopback(const std::string &host);

/// The address to listen at for those that reach this machine as \p host: \p host itself if it is
/// an address, loopback for "localhost", else all interfaces, as a name can stand for any.
std::string interfaceOf(const std::string &host);

} // namespace copse::fabric
