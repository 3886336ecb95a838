#pragma once

#include "wire/result.hpp"

#include <zmq.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// The nodes that may speak to each other in a cluster: one key pair for each node, of X25519, which ZeroMQ's CURVE
/// (RFC 26 of ZeroMQ) and the TLS connections of links use.
namespace copse::fabric {

namespace curve {
class SharedKey;
}

/// Z85 texts of 40 characters.
struct KeyPair {
  std::string publicKey, secretKey;
};

/// A new pair. Throws zmq::error_t if this ZeroMQ has no CURVE.
KeyPair newKeyPair();

/// \returns the InvalidOption that says that node \p node has no key
wire::Status noKeyOf(const std::string &node);

class Keyring;
/// \returns what an error says besides, if a node does not answer a program with \p keys: that keys may
///   be the reason; nothing if \p keys is null
std::string hintAtKeys(const Keyring *keys, const std::string &node);

/// The role of a node, by its name: "ipu-3" and "rbufd" are daemons, all others host programs.
enum class Role : std::uint8_t { Host, Ipu, Rbufd };
Role roleOf(const std::string &name);
std::string nameOfIpu(std::size_t number);
inline constexpr const char *kRbufdName = "rbufd";

/// The secret that two nodes have in common for TLS connections between them. Overwritten when it
/// goes.
class LinkKey {
public:
  static constexpr std::size_t kBytes = 32;
  LinkKey() = default;
  ~LinkKey();
  LinkKey(const LinkKey &) = default;
  LinkKey &operator=(const LinkKey &) = default;
  std::span<const std::byte, kBytes> bytes() const { return bytes_; }
  std::span<std::byte, kBytes> bytes() { return bytes_; }

private:
  std::array<std::byte, kBytes> bytes_{};
};

/// The keys that one node has: its own pair, and the public ones of all.
///
/// Immutable; shared by the sockets of a process.
class Keyring {
public:
  Keyring(std::string self, KeyPair own, std::map<std::string, std::string> publicKeys);

  const std::string &self() const { return self_; }
  /// Before connect(): what answers must be \p peer.
  /// \returns InvalidOption if there is no such node
  wire::Status connect(zmq::socket_t &socket, const std::string &peer) const;
  /// The node that has this public key, in the 32 bytes that CURVE sends. Empty: a stranger.
  std::string nameOf(std::span<const std::byte> key) const;
  bool knows(const std::string &name) const { return publicKeys_.contains(name); }

  /// The key that this node's pair has in common with \p publicKey for CURVE's boxes. Nothing: that is
  /// no key.
  std::optional<curve::SharedKey> curveKey(std::span<const std::byte, 32> publicKey) const;

  /// The pre-shared key of TLS connections that node \p client makes to node \p server, one of
  /// which is self(): HKDF-SHA256 over what X25519 makes of the two nodes' pairs. It is bound to
  /// both names, both public keys and the direction, so no other two nodes have it, and what one
  /// sent cannot be sent back to it. Nothing: there is no such node, or its key is none.
  /// Throws std::runtime_error if OpenSSL is not installed.
  std::optional<LinkKey> linkKey(const std::string &client, const std::string &server) const;

private:
  std::string self_;
  KeyPair own_;
  std::map<std::string, std::string> publicKeys_; ///< by name
  std::map<std::string, std::string> names_;      ///< by the bytes of the key
};

} // namespace copse::fabric
