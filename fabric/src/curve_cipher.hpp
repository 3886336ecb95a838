#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

/// The cryptography of CURVE (RFC 26 of ZeroMQ), which uses libsodium's boxes.
namespace copse::fabric::curve {

inline constexpr std::size_t kKeyBytes = 32, kTagBytes = 16, kShortNonceBytes = 8,
                             kLongNonceBytes = 16, kPrefixBytes = 16;

/// The key that two pairs of keys have in common: each side computes it from its own secret key and
/// the other's public key. Encrypts and decrypts messages, whose nonces the caller must never use
/// twice. The destructor overwrites the key.
class SharedKey {
public:
  /// \returns nothing if \p publicKey is not a valid key
  static std::optional<SharedKey> of(std::span<const std::byte, kKeyBytes> publicKey,
                                     std::span<const std::byte, kKeyBytes> secretKey);
  ~SharedKey();
  SharedKey(const SharedKey &) = default;
  SharedKey &operator=(const SharedKey &) = default;

  /// Returns the tag, followed by \p plain encrypted.
  /// \param prefix,  nonce  of 24 bytes together
  std::vector<std::byte> seal(std::span<const std::byte> plain, std::string_view prefix,
                              std::span<const std::byte> nonce) const;
  /// Returns the plain text.
  /// \returns nothing if \p sealed has another key, nonce or content
  std::optional<std::vector<std::byte>> open(std::span<const std::byte> sealed,
                                             std::string_view prefix,
                                             std::span<const std::byte> nonce) const;
  /// Encrypts the bytes after the first kTagBytes of \p record in place, and writes the tag there.
  void sealInPlace(std::span<std::byte> record, std::string_view prefix, std::uint64_t nonce) const;
  /// Decrypts what sealInPlace() encrypted.
  /// \returns false if the tag is wrong; \p record then has undefined contents
  bool openInPlace(std::span<std::byte> record, std::string_view prefix, std::uint64_t nonce) const;

private:
  SharedKey() = default;
  std::array<unsigned char, kKeyBytes> bytes_{};
};

/// A pair of keys for one connection. The destructor overwrites the secret key.
struct FreshPair {
  FreshPair();
  ~FreshPair();
  FreshPair(const FreshPair &) = delete;
  FreshPair &operator=(const FreshPair &) = delete;
  std::array<std::byte, kKeyBytes> publicKey{}, secretKey{};
};

void fillRandomly(std::span<std::byte> bytes);

/// Returns the big-endian bytes of a number, as nonces and lengths have them.
std::array<std::byte, 8> bytesOfNumber(std::uint64_t number);
std::uint64_t numberOf(std::span<const std::byte, 8> bytes);

} // namespace copse::fabric::curve
