#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct gcry_cipher_handle;

namespace copse::fabric {

inline constexpr std::size_t kSealKeyBytes = 16, kTagBytes = 16, kSealBlockBytes = 16;
using SealKey = std::array<std::byte, kSealKeyBytes>;

/// Whether this processor has instructions for AES: without them CURVE's cipher is quicker.
bool sealingIsQuick();

/// Bytes that nobody can guess.
template <std::size_t kBytes> std::array<std::byte, kBytes> randomBytes();

/// The records of one stream, one after the other, each encrypted and authenticated by AES-128-OCB
/// (RFC 7253). The nonce of a record is its number, so what was repeated, left out or swapped fails
/// the check of its tag. A key is for one stream in one direction: two Seals, one at either end.
///
/// Life of a record: begin(); seal() or open() of its pieces, of which all but the last are whole
/// blocks; then tag() or checkTag().
///
/// Thread: one at a time.
class Seal {
public:
  explicit Seal(const SealKey &key);

  void begin();
  void seal(std::span<const std::byte> plain, std::byte *sealed, bool last);
  void open(std::span<std::byte> piece, bool last); ///< in place; not to be used before checkTag()
  void tag(std::byte *to);
  /// Takes kTagBytes. \returns whether the record is what the other end has sealed
  bool checkTag(const std::byte *tag);

private:
  struct Close {
    void operator()(gcry_cipher_handle *cipher) const;
  };
  std::unique_ptr<gcry_cipher_handle, Close> cipher_;
  std::uint64_t records_ = 0; // 64 bits of them do not run out
};

} // namespace copse::fabric
