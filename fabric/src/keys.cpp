#include "fabric/keys.hpp"

#include "curve_cipher.hpp"

#include <array>
#include <utility>

namespace copse::fabric {
namespace {

using wire::Code;
using wire::Status;

// Characters of a key as text, and its bytes.
constexpr std::size_t kTextBytes = 41, kBytesOfKey = 32;

std::string bytesOfKey(const std::string &text) {
  std::array<std::uint8_t, kBytesOfKey> bytes{};
  if (text.size() + 1 != kTextBytes || zmq_z85_decode(bytes.data(), text.c_str()) == nullptr)
    return {};
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

} // namespace

Status noKeyOf(const std::string &node) {
  return {Code::InvalidOption,
          "there is no key of '" + node + "'; write keys for all nodes with copse keys"};
}

std::string hintAtKeys(const Keyring *keys, const std::string &node) {
  if (keys == nullptr)
    return "";
  return "; if it runs, see whether keys are the reason: " + node +
         " must have the public key of '" + keys->self() + "', and this program that of " + node +
         " (public.json is the same on all machines, and daemons read it when they start)";
}

KeyPair newKeyPair() {
  std::array<char, kTextBytes> publicKey{}, secretKey{};
  if (zmq_curve_keypair(publicKey.data(), secretKey.data()) != 0)
    throw zmq::error_t();
  return {publicKey.data(), secretKey.data()};
}

Role roleOf(const std::string &name) {
  if (name == kRbufdName)
    return Role::Rbufd;
  const bool numbered = name.rfind("ipu-", 0) == 0 && name.size() > 4 &&
                        name.find_first_not_of("0123456789", 4) == std::string::npos;
  return numbered ? Role::Ipu : Role::Host;
}

std::string nameOfIpu(std::size_t number) { return "ipu-" + std::to_string(number); }

Keyring::Keyring(std::string self, KeyPair own, std::map<std::string, std::string> publicKeys)
    : self_(std::move(self)), own_(std::move(own)), publicKeys_(std::move(publicKeys)) {
  for (const auto &[name, key] : publicKeys_)
    names_[bytesOfKey(key)] = name;
}

Status Keyring::connect(zmq::socket_t &socket, const std::string &peer) const {
  const auto found = publicKeys_.find(peer);
  if (found == publicKeys_.end())
    return noKeyOf(peer);
  socket.set(zmq::sockopt::curve_serverkey, found->second);
  socket.set(zmq::sockopt::curve_publickey, own_.publicKey);
  socket.set(zmq::sockopt::curve_secretkey, own_.secretKey);
  return Status::success();
}

std::string Keyring::nameOf(std::span<const std::byte> key) const {
  const auto found =
      names_.find(std::string(reinterpret_cast<const char *>(key.data()), key.size()));
  return found == names_.end() || key.size() != kBytesOfKey ? "" : found->second;
}

std::optional<curve::SharedKey>
Keyring::curveKey(std::span<const std::byte, curve::kKeyBytes> publicKey) const {
  const std::string secret = bytesOfKey(own_.secretKey);
  const auto bytes = std::as_bytes(std::span(secret));
  if (bytes.size() != curve::kKeyBytes)
    return {};
  return curve::SharedKey::of(publicKey, bytes.first<curve::kKeyBytes>());
}

} // namespace copse::fabric
