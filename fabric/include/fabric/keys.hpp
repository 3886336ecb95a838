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

/// The keys of a cluster's nodes: one X25519 key pair for each node, which ZeroMQ's CURVE (RFC 26
/// of ZeroMQ) and the TLS connections of links use.
namespace copse::fabric {

namespace curve {
class SharedKey;
}

/// Z85 texts of 40 characters.
struct KeyPair {
  std::string publicKey, secretKey;
};

/// Creates a new pair. Throws zmq::error_t if this ZeroMQ has no CURVE.
KeyPair newKeyPair();

/// Returns the error InvalidOption for a node that has no key.
wire::Status noKeyOf(const std::string &node);

class Keyring;
/// Returns a hint for the error that a node does not answer: wrong keys may be the reason. Empty if
/// \p keys is null.
std::string hintAtKeys(const Keyring *keys, const std::string &node);

/// The role of a node, which follows from its name: "ipu-3" and "rbufd" are daemons, all others
/// host programs.
enum class Role : std::uint8_t { Host, Ipu, Rbufd };
Role roleOf(const std::string &name);
std::string nameOfIpu(std::size_t number);
inline constexpr const char *kRbufdName = "rbufd";

/// The secret that two nodes share for TLS connections between them. The destructor overwrites it.
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

/// The keys that one node has: its own pair, and the public keys of all nodes.
///
/// Immutable; shared by the sockets of a process.
class Keyring {
public:
  Keyring(std::string self, KeyPair own, std::map<std::string, std::string> publicKeys);

  const std::string &self() const { return self_; }
  /// Sets the keys before connect(): the socket accepts only \p peer at the other end.
  /// \returns InvalidOption if there is no such node
  wire::Status connect(zmq::socket_t &socket, const std::string &peer) const;
  /// Returns the node with this public key, in the 32 bytes that CURVE sends; empty if no node has
  /// it.
  std::string nameOf(std::span<const std::byte> key) const;
  bool knows(const std::string &name) const { return publicKeys_.contains(name); }

  /// Returns the key that this node's pair shares with \p publicKey for CURVE's boxes; nothing if
  /// \p publicKey is not valid.
  std::optional<curve::SharedKey> curveKey(std::span<const std::byte, 32> publicKey) const;

  /// Returns the pre-shared key of TLS connections from node \p client to node \p server, one of
  /// which is self(): HKDF-SHA256 over the X25519 secret of the two nodes' pairs. The key depends
  /// on both names, both public keys and the direction, so no other two nodes have it, and a
  /// message cannot be sent back to its sender.
  /// \returns nothing if there is no such node, or its key is not valid
  /// \throws std::runtime_error if OpenSSL is not installed
  std::optional<LinkKey> linkKey(const std::string &client, const std::string &server) const;

private:
  std::string self_;
  KeyPair own_;
  std::map<std::string, std::string> publicKeys_; ///< by name
  std::map<std::string, std::string> names_;      ///< by the bytes of the key
};

} // namespace copse::fabric
