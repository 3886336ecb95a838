// Messages of ZMTP from a peer that has got in: plain, or sealed with a key that it does not have. The first byte says which,
// the second how many bytes come at once.
#include "fuzzing.hpp"
#include "zmtp_messages.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace {

using namespace copse;
using namespace copse::fabric;

constexpr std::uint64_t kMostBytes = 1 << 16;

curve::SharedKey someKey() {
  const curve::FreshPair one, other;
  auto key = curve::SharedKey::of(one.publicKey, other.secretKey);
  fuzz::require(key.has_value(), "two pairs have a key in common");
  return *key;
}

/// Puts bytes where the reader wants them.
/// \returns how many had room
std::size_t copyTo(const std::array<iovec, 2> &space, std::span<const std::byte> bytes) {
  std::size_t copied = 0;
  for (const iovec &part : space) {
    const std::size_t here = std::min(part.iov_len, bytes.size() - copied);
    if (here > 0)
      std::memcpy(part.iov_base, bytes.data() + copied, here);
    copied += here;
  }
  return copied;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static const curve::SharedKey key = someKey();
  if (size < 2)
    return 0;
  const bool isSealed = data[0] % 2 != 0;
  const std::size_t most = 1 + std::size_t{data[1]} * 16;
  auto bytes = fuzz::bytesOf(data + 2, size - 2);
  zmtp::MessageReader reader(isSealed ? std::optional(key) : std::nullopt, 2, kMostBytes);
  const auto check = [&](const Frames &frames) {
    fuzz::require(!isSealed, "a message without the key is none");
    std::uint64_t total = 0;
    for (const auto &frame : frames)
      total += frame.size();
    fuzz::require(!frames.empty() && total <= kMostBytes, "a message keeps to its limit");
  };
  while (!bytes.empty()) {
    const std::size_t taken = copyTo(reader.space(), bytes.first(std::min(most, bytes.size())));
    fuzz::require(taken > 0, "a reader has room");
    if (!reader.put(taken, [&](Frames frames) { check(frames); }).empty())
      break;
    bytes = bytes.subspan(taken);
  }
  return 0;
}
