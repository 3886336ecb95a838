#include "seal.hpp"

#include <gcrypt.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <system_error>
#include <unistd.h>

namespace copse::fabric {
namespace {

/// Our own mistake, or no memory: nothing that comes from outside can make these calls fail.
void mustWork(gcry_error_t error, const char *call) {
  if (error != 0)
    throw std::runtime_error(std::string(call) + ": " + gcry_strerror(error));
}

/// A host program may use libgcrypt, too, and have made it ready.
void makeReady() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (gcry_control(GCRYCTL_INITIALIZATION_FINISHED_P) != 0)
      return;
    gcry_check_version(nullptr);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
  });
}

} // namespace

bool sealingIsQuick() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("aes");
#else
  return false;
#endif
}

template <std::size_t kBytes> std::array<std::byte, kBytes> randomBytes() {
  std::array<std::byte, kBytes> bytes;
  if (::getentropy(bytes.data(), bytes.size()) != 0)
    throw std::system_error(errno, std::generic_category(), "getentropy");
  return bytes;
}
template std::array<std::byte, 16> randomBytes();

void Seal::Close::operator()(gcry_cipher_handle *cipher) const { gcry_cipher_close(cipher); }

Seal::Seal(const SealKey &key) {
  makeReady();
  gcry_cipher_hd_t cipher = nullptr;
  mustWork(gcry_cipher_open(&cipher, GCRY_CIPHER_AES128, GCRY_CIPHER_MODE_OCB, 0), "open");
  cipher_.reset(cipher);
  mustWork(gcry_cipher_setkey(cipher, key.data(), key.size()), "setkey");
}

void Seal::begin() {
  std::array<std::byte, 12> nonce{};
  std::uint64_t number = records_++;
  for (std::size_t i = nonce.size(); number != 0; number >>= 8)
    nonce[--i] = static_cast<std::byte>(number);
  mustWork(gcry_cipher_setiv(cipher_.get(), nonce.data(), nonce.size()), "setiv");
}

void Seal::seal(std::span<const std::byte> plain, std::byte *sealed, bool last) {
  if (last)
    mustWork(gcry_cipher_final(cipher_.get()), "final");
  mustWork(gcry_cipher_encrypt(cipher_.get(), sealed, plain.size(), plain.data(), plain.size()),
           "encrypt");
}

void Seal::open(std::span<std::byte> piece, bool last) {
  if (last)
    mustWork(gcry_cipher_final(cipher_.get()), "final");
  mustWork(gcry_cipher_decrypt(cipher_.get(), piece.data(), piece.size(), nullptr, 0), "decrypt");
}

void Seal::tag(std::byte *to) {
  mustWork(gcry_cipher_gettag(cipher_.get(), to, kTagBytes), "gettag");
}

bool Seal::checkTag(const std::byte *tag) {
  return gcry_cipher_checktag(cipher_.get(), tag, kTagBytes) == 0;
}

} // namespace copse::fabric
