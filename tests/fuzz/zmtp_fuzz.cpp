// Fuzzes the bytes of peers at a port to which ZeroMQ's sockets connect: unauthenticated peers,
// with and without keys, and a malicious peer that has a key.
#include "fuzzing.hpp"
#include "zmtp_handshake.hpp"
#include "zmtp_messages.hpp"

#include <zmq.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace copse;
using fabric::zmtp::Handshake;

constexpr std::uint64_t kMostBytes = 64 << 10;

std::string keyText(std::uint8_t fill) {
  std::array<std::uint8_t, 32> bytes{};
  bytes.fill(fill);
  std::array<char, 41> text{};
  zmq_z85_encode(text.data(), bytes.data(), bytes.size());
  return text.data();
}

std::shared_ptr<const fabric::zmtp::Admission> newAdmission(bool keyed) {
  auto keys = keyed ? std::make_shared<fabric::Keyring>(
                          "ipu-0", fabric::KeyPair{keyText(9), keyText(5)},
                          std::map<std::string, std::string>{{"ipu-0", keyText(9)}})
                    : nullptr;
  return std::make_shared<fabric::zmtp::Admission>(
      fabric::zmtp::Admission{std::move(keys), {fabric::Role::Host}, "ROUTER", {"DEALER", "PUSH"}});
}

/// Keys take far longer to make than most inputs to read.
const std::shared_ptr<const fabric::zmtp::Admission> &admission(bool keyed) {
  static const auto kWithout = newAdmission(false), kWith = newAdmission(true);
  return keyed ? kWith : kWithout;
}

fabric::curve::SharedKey peersKey() {
  std::array<std::byte, 32> publicKey{std::byte{9}}, secretKey{std::byte{5}};
  const auto key = fabric::curve::SharedKey::of(publicKey, secretKey);
  fuzz::require(key.has_value(), "the keys make one");
  return *key;
}

void read(std::span<const std::byte> bytes, std::optional<fabric::curve::SharedKey> key) {
  fabric::zmtp::MessageReader reader(std::move(key), 0, kMostBytes);
  std::size_t given = 0;
  const std::size_t step = 1 + bytes.size() % 97;
  for (std::string bad; bad.empty() && !bytes.empty();) {
    const auto parts = reader.space();
    fuzz::require(parts[0].iov_len > 0, "a reader always has room");
    fuzz::require(parts[0].iov_len <= kMostBytes, "a reader takes no more memory than it may");
    const std::size_t some = std::min({parts[0].iov_len, bytes.size(), step});
    std::memcpy(parts[0].iov_base, bytes.data(), some);
    bytes = bytes.subspan(some);
    bad = reader.put(some, [&](fabric::Frames frames) {
      fuzz::require(!frames.empty(), "a message has frames");
      std::size_t message = 0;
      for (const auto &frame : frames)
        message += frame.size();
      fuzz::require(message <= kMostBytes, "a message has no more bytes than it may have");
      given += message;
    });
  }
}

void shakeHands(std::span<const std::byte> bytes, bool keyed) {
  Handshake handshake(admission(keyed));
  std::vector<std::byte> answer = handshake.greeting();
  const std::size_t step = 1 + bytes.size() % 61;
  while (!bytes.empty()) {
    auto some = bytes.first(std::min(step, bytes.size()));
    const std::size_t before = some.size();
    const auto result = handshake.put(some, answer);
    fuzz::require(answer.size() < 2 * Handshake::kMostBytes, "an answer is short");
    bytes = bytes.subspan(before - some.size());
    if (result == Handshake::Step::Refused)
      return fuzz::require(!handshake.why().empty(), "a refusal has a reason");
    if (result == Handshake::Step::Done) {
      fuzz::require(!keyed, "nobody gets in without a key");
      return read(bytes, {});
    }
    fuzz::require(some.empty(), "a handshake that goes on has taken all bytes");
  }
}

/// Sends the messages of a peer with a key.
/// \param bytes  frames, each of a byte with its length, a byte of flags, and its bytes
void speakSealed(std::span<const std::byte> bytes) {
  static const fabric::curve::SharedKey key = peersKey();
  std::vector<std::byte> stream;
  std::uint64_t nonce = 0;
  while (bytes.size() >= 2) {
    const auto size = std::min(std::to_integer<std::size_t>(bytes[0]) * 8, bytes.size() - 2);
    constexpr std::size_t kBoxAt = 16, kFlagsAt = kBoxAt + fabric::curve::kTagBytes;
    std::vector<std::byte> record(kFlagsAt + 1 + size);
    std::memcpy(record.data(), "\7MESSAGE", 8);
    const auto number = fabric::curve::bytesOfNumber(++nonce);
    std::copy(number.begin(), number.end(), record.begin() + 8);
    record[kFlagsAt] = bytes[1];
    std::copy_n(bytes.begin() + 2, size, record.begin() + kFlagsAt + 1);
    key.sealInPlace(std::span(record).subspan(kBoxAt), "CurveZMQMESSAGEC", nonce);
    std::array<std::byte, fabric::zmtp::kLongHeaderBytes> header{};
    const std::size_t headerBytes =
        fabric::zmtp::putHeader(header.data(), std::byte{0}, record.size());
    stream.insert(stream.end(), header.begin(), header.begin() + static_cast<long>(headerBytes));
    stream.insert(stream.end(), record.begin(), record.end());
    bytes = bytes.subspan(2 + size);
  }
  read(stream, key);
}

} // namespace

/// The input: a byte that selects the kind of peer, and the bytes that the peer sends.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  if (size == 0)
    return 0;
  const auto bytes = fuzz::bytesOf(data + 1, size - 1);
  switch (data[0] % 4) {
  case 0:
    shakeHands(bytes, false);
    break;
  case 1:
    shakeHands(bytes, true);
    break;
  case 2:
    read(bytes, {});
    break;
  default:
    speakSealed(bytes);
  }
  return 0;
}
