#pragma once

#include "curve_cipher.hpp"

#include "fabric/keys.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace copse::fabric::zmtp {

/// The peers that a server of ZMTP accepts.
struct Admission {
  std::shared_ptr<const Keyring> keys; ///< null: all peers are accepted, with mechanism NULL
  std::vector<Role> roles;             ///< with keys: roles that are accepted
  std::string ownType;                 ///< socket type that peers are told, such as "ROUTER"
  std::vector<std::string> peerTypes;  ///< socket types that are accepted, such as "DEALER"
};

/// The result of a handshake, which the connection uses.
struct Admitted {
  std::string name;                     ///< name of the node among the keys; empty without keys
  std::optional<curve::SharedKey> key;  ///< key of the messages; nothing without keys
  std::uint64_t sent = 0, received = 0; ///< the last nonces that the handshake used
};

/// The server's end of the handshake that opens a connection of ZeroMQ: ZMTP 3 (RFC 37 of ZeroMQ)
/// with the mechanism NULL, or CURVE (RFC 26) if there are keys. libzmq's own server reserves
/// gigabytes for peers that have not authenticated, and accepts any number of such peers. This
/// class has a buffer of kMostBytes, whatever a peer declares, and refuses at the first wrong byte.
///
/// Life: send greeting(); put() the bytes that arrive and send what it adds to the answer, until
/// Done or Refused.
class Handshake {
public:
  /// Longer than every command of a handshake, with its frame's header, and than the greeting.
  static constexpr std::size_t kMostBytes = 1024;

  enum class Step { WantMore, Done, Refused };

  explicit Handshake(std::shared_ptr<const Admission> admission);

  /// Returns the server's first bytes, equal for all clients.
  std::vector<std::byte> greeting() const;
  /// Takes a part of \p bytes, from the front.
  /// \param answer  bytes for the peer are appended
  Step put(std::span<const std::byte> &bytes, std::vector<std::byte> &answer);
  /// Returns what the peer did wrong, after Refused.
  const std::string &why() const { return why_; }
  /// Returns the result, after Done.
  Admitted admitted() const;

private:
  enum class Stage { Greeting, Hello, Initiate, Ready, Done };

  Step refuse(std::string why);
  std::size_t bytesWanted() const;
  Step checkBegin();
  Step readGreeting(std::vector<std::byte> &answer);
  Step readCommand(std::span<const std::byte> command, std::vector<std::byte> &answer);
  Step readHello(std::span<const std::byte> command, std::vector<std::byte> &answer);
  Step readInitiate(std::span<const std::byte> command, std::vector<std::byte> &answer);
  Step readReady(std::span<const std::byte> command);
  Step checkMetadata(std::span<const std::byte> metadata);
  std::vector<std::byte> ownMetadata() const;
  bool mayEnter(const std::string &name) const;

  std::shared_ptr<const Admission> admission_;
  Stage stage_ = Stage::Greeting;
  std::vector<std::byte> buffer_; ///< the beginning of an incomplete greeting or command
  std::string why_;
  // With CURVE only:
  std::optional<curve::FreshPair> own_;
  /// The key that the peer's fresh key and this node's own key have in common.
  std::optional<curve::SharedKey> longTerm_;
  std::optional<curve::SharedKey> messages_;          ///< between the fresh keys of both
  std::array<std::byte, curve::kKeyBytes> peerKey_{}; ///< the peer's fresh key
  std::array<std::byte, 96> cookie_{};
  std::uint64_t received_ = 0, sent_ = 0;
  std::string name_;
};

/// Returns a command as a frame.
/// \param body  begins with the name of the command, its length before it
std::vector<std::byte> commandFrame(std::span<const std::byte> body);

} // namespace copse::fabric::zmtp
