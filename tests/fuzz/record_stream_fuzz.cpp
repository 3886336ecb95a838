// Fuzzes records on connections of links with keys: from an attacker between the ends, and from a
// malicious neighbour that has the key.
#include "fuzzing.hpp"
#include "record_stream.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace {

using namespace copse;

/// A longer payload is valid, but would only cost memory here. The sanitizer marks all bytes of an
/// allocation, so one payload of 4 GiB takes it seconds.
constexpr std::uint64_t kMostPayloadBytes = 1 << 16, kLongestValidPayload = std::uint64_t{4} << 30;

void append(std::string &stream, std::string plain, fabric::RecordCipher *cipher) {
  const std::size_t at = stream.size();
  if (cipher == nullptr) {
    stream += plain;
    return;
  }
  if (std::uint64_t payload = 0; plain.size() == 16) {
    std::memcpy(&payload, plain.data() + 8, sizeof payload);
    if (payload <= kLongestValidPayload)
      payload %= kMostPayloadBytes;
    std::memcpy(plain.data() + 8, &payload, sizeof payload);
  }
  stream.resize(at + plain.size() + fabric::RecordCipher::kTagBytes);
  auto *const to = reinterpret_cast<std::byte *>(stream.data() + at);
  cipher->begin();
  cipher->encrypt(std::as_bytes(std::span(plain)), to);
  cipher->tag(to + plain.size());
}

} // namespace

/// The input: records, each of a byte that gives its length and whether it is encrypted, and its
/// bytes.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  fabric::RecordKey key;
  key.bytes()[0] = std::byte{5};
  fabric::RecordCipher cipher(key, fabric::RecordCipher::Direction::Encrypt);
  std::string stream;
  for (std::size_t at = 0; at < size;) {
    const std::uint8_t kind = data[at++];
    const std::size_t bytes = std::min<std::size_t>(kind & 0x7F, size - at);
    append(stream, std::string(reinterpret_cast<const char *>(data + at), bytes),
           (kind & 0x80) != 0 ? &cipher : nullptr);
    at += bytes;
  }
  auto reader = std::make_unique<fabric::RecordReader>(key);
  bool sound = true;
  std::size_t given = 0;
  for (std::size_t at = 0; sound && at < stream.size();) {
    const auto parts = reader->space();
    fuzz::require(parts[0].iov_len > 0, "a reader always has room");
    const std::size_t some =
        std::min({parts[0].iov_len, stream.size() - at, std::size_t{1} + size % 97});
    std::memcpy(parts[0].iov_base, stream.data() + at, some);
    at += some;
    sound = reader->put(some, [&](fabric::Frames frames) {
      for (const auto &frame : frames)
        given += frame.size();
    });
  }
  fuzz::require(given <= stream.size(), "no message has more bytes than came");
  return 0;
}
