#include "curve_cipher.hpp"

#include <cassert>
#include <cstdlib>
#include <cstring>
#include <sodium.h>

namespace copse::fabric::curve {
namespace {

static_assert(kKeyBytes == crypto_box_PUBLICKEYBYTES && kKeyBytes == crypto_box_SECRETKEYBYTES &&
              kKeyBytes == crypto_box_BEFORENMBYTES && kTagBytes == crypto_box_MACBYTES);

using Nonce = std::array<unsigned char, crypto_box_NONCEBYTES>;

/// Chooses the fastest code for this processor, once.
void useSodium() {
  static const bool ready = sodium_init() >= 0;
  if (!ready)
    std::abort(); // the system has no random numbers
}

unsigned char *raw(std::byte *bytes) { return reinterpret_cast<unsigned char *>(bytes); }
const unsigned char *raw(const std::byte *bytes) {
  return reinterpret_cast<const unsigned char *>(bytes);
}

Nonce nonceFrom(std::string_view prefix, std::span<const std::byte> rest) {
  assert(prefix.size() + rest.size() == crypto_box_NONCEBYTES);
  Nonce nonce{};
  std::memcpy(nonce.data(), prefix.data(), prefix.size());
  std::memcpy(nonce.data() + prefix.size(), rest.data(), rest.size());
  return nonce;
}

} // namespace

std::optional<SharedKey> SharedKey::of(std::span<const std::byte, kKeyBytes> publicKey,
                                       std::span<const std::byte, kKeyBytes> secretKey) {
  useSodium();
  SharedKey key;
  if (crypto_box_beforenm(key.bytes_.data(), raw(publicKey.data()), raw(secretKey.data())) != 0)
    return {};
  return key;
}

SharedKey::~SharedKey() { sodium_memzero(bytes_.data(), bytes_.size()); }

std::vector<std::byte> SharedKey::seal(std::span<const std::byte> plain, std::string_view prefix,
                                       std::span<const std::byte> nonce) const {
  std::vector<std::byte> sealed(plain.size() + kTagBytes);
  crypto_box_easy_afternm(raw(sealed.data()), raw(plain.data()), plain.size(),
                          nonceFrom(prefix, nonce).data(), bytes_.data());
  return sealed;
}

std::optional<std::vector<std::byte>> SharedKey::open(std::span<const std::byte> sealed,
                                                      std::string_view prefix,
                                                      std::span<const std::byte> nonce) const {
  if (sealed.size() < kTagBytes)
    return {};
  std::vector<std::byte> plain(sealed.size() - kTagBytes);
  if (crypto_box_open_easy_afternm(raw(plain.data()), raw(sealed.data()), sealed.size(),
                                   nonceFrom(prefix, nonce).data(), bytes_.data()) != 0)
    return {};
  return plain;
}

void SharedKey::sealInPlace(std::span<std::byte> record, std::string_view prefix,
                            std::uint64_t nonce) const {
  const auto plain = record.subspan(kTagBytes);
  crypto_box_detached_afternm(raw(plain.data()), raw(record.data()), raw(plain.data()),
                              plain.size(), nonceFrom(prefix, bytesOfNumber(nonce)).data(),
                              bytes_.data());
}

bool SharedKey::openInPlace(std::span<std::byte> record, std::string_view prefix,
                            std::uint64_t nonce) const {
  if (record.size() < kTagBytes)
    return false;
  const auto sealed = record.subspan(kTagBytes);
  return crypto_box_open_detached_afternm(
             raw(sealed.data()), raw(sealed.data()), raw(record.data()), sealed.size(),
             nonceFrom(prefix, bytesOfNumber(nonce)).data(), bytes_.data()) == 0;
}

FreshPair::FreshPair() {
  useSodium();
  crypto_box_keypair(raw(publicKey.data()), raw(secretKey.data()));
}
FreshPair::~FreshPair() { sodium_memzero(secretKey.data(), secretKey.size()); }

void fillRandomly(std::span<std::byte> bytes) {
  useSodium();
  randombytes_buf(bytes.data(), bytes.size());
}

std::array<std::byte, 8> bytesOfNumber(std::uint64_t number) {
  std::array<std::byte, 8> bytes{};
  for (std::size_t i = bytes.size(); i-- > 0; number >>= 8)
    bytes[i] = static_cast<std::byte>(number & 0xFF);
  return bytes;
}

std::uint64_t numberOf(std::span<const std::byte, 8> bytes) {
  std::uint64_t number = 0;
  for (const std::byte byte : bytes)
    number = number << 8 | std::to_integer<std::uint64_t>(byte);
  return number;
}

} // namespace copse::fabric::curve
