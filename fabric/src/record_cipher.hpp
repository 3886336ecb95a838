#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

struct evp_cipher_ctx_st;

namespace copse::fabric {

/// The key of one connection in its one direction. The destructor overwrites it.
class RecordKey {
public:
  static constexpr std::size_t kBytes = 16;
  RecordKey() = default;
  ~RecordKey();
  RecordKey(const RecordKey &) = default;
  RecordKey &operator=(const RecordKey &) = default;
  std::span<const std::byte, kBytes> bytes() const { return bytes_; }
  std::span<std::byte, kBytes> bytes() { return bytes_; }

private:
  std::array<std::byte, kBytes> bytes_{};
};

/// Encrypts the records of one connection in their order, each with AES-128-OCB (RFC 7253). The
/// nonce of a record is its number, so the tag of a repeated, omitted or swapped record does not
/// fit. Each connection has its own key, with one cipher at either end.
///
/// Life of a record: begin(); encrypt() its pieces, of which all but the last are whole blocks;
/// tag(). Or decrypt() them and checkTag(): only then may they be used.
///
/// Thread: one at a time.
class RecordCipher {
public:
  static constexpr std::size_t kTagBytes = 16, kBlockBytes = 16;
  enum class Direction : std::uint8_t { Encrypt, Decrypt };

  /// Throws std::runtime_error if there is no memory, or if this OpenSSL lacks the cipher.
  RecordCipher(const RecordKey &key, Direction direction);

  void begin();
  void encrypt(std::span<const std::byte> plain, std::byte *to);
  void decrypt(std::span<std::byte> piece); ///< encrypted in place
  void tag(std::byte *to);
  /// Takes kTagBytes.
  /// \returns whether the record is what the other end has encrypted
  bool checkTag(const std::byte *tag);

private:
  struct Free {
    void operator()(evp_cipher_ctx_st *context) const;
  };
  void update(const std::byte *from, std::byte *to, std::size_t bytes);

  std::unique_ptr<evp_cipher_ctx_st, Free> context_;
  std::uint64_t records_ = 0; // 64 bits of them do not run out
  std::array<std::byte, kBlockBytes> none_{};
  std::byte *end_ = nullptr; // where OpenSSL puts the last block if it is not a whole one
};

} // namespace copse::fabric
