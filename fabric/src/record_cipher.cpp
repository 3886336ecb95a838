#include "record_cipher.hpp"

#include "openssl_library.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <strings.h>

namespace copse::fabric {
namespace {

constexpr std::size_t kNonceBytes = 12;

/// Throws for our own mistake, or lack of memory: no input from outside makes these calls fail.
void mustWork(int result, const char *call) {
  if (result != 1)
    throw std::runtime_error(std::string("OpenSSL fails to ") + call);
}

unsigned char *raw(std::byte *bytes) { return reinterpret_cast<unsigned char *>(bytes); }
const unsigned char *raw(const std::byte *bytes) {
  return reinterpret_cast<const unsigned char *>(bytes);
}

} // namespace

RecordKey::~RecordKey() { ::explicit_bzero(bytes_.data(), bytes_.size()); }

void RecordCipher::Free::operator()(evp_cipher_ctx_st *context) const {
  openSsl().EVP_CIPHER_CTX_free(context);
}

RecordCipher::RecordCipher(const RecordKey &key, Direction direction)
    : context_(openSsl().EVP_CIPHER_CTX_new()) {
  mustWork(context_ != nullptr, "make a cipher");
  mustWork(openSsl().EVP_CipherInit_ex(context_.get(), openSsl().EVP_aes_128_ocb(), nullptr,
                                       raw(key.bytes().data()), nullptr,
                                       direction == Direction::Encrypt ? 1 : 0),
           "set a key");
}

void RecordCipher::begin() {
  std::array<unsigned char, kNonceBytes> nonce{};
  std::uint64_t number = records_++;
  for (std::size_t i = nonce.size(); number != 0; number >>= 8)
    nonce[--i] = static_cast<unsigned char>(number);
  mustWork(openSsl().EVP_CipherInit_ex(context_.get(), nullptr, nullptr, nullptr, nonce.data(), -1),
           "begin a record");
  end_ = none_.data();
}

void RecordCipher::update(const std::byte *from, std::byte *to, std::size_t bytes) {
  if (bytes == 0)
    return;
  int done = 0;
  mustWork(openSsl().EVP_CipherUpdate(context_.get(), raw(to), &done, raw(from),
                                      static_cast<int>(bytes)),
           "work on a record");
  end_ = to + done;
}

void RecordCipher::encrypt(std::span<const std::byte> plain, std::byte *to) {
  update(plain.data(), to, plain.size());
}

void RecordCipher::decrypt(std::span<std::byte> piece) {
  update(piece.data(), piece.data(), piece.size());
}

void RecordCipher::tag(std::byte *to) {
  int bytes = 0;
  mustWork(openSsl().EVP_CipherFinal_ex(context_.get(), raw(end_), &bytes), "end a record");
  mustWork(openSsl().EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, to),
           "make a tag");
}

bool RecordCipher::checkTag(const std::byte *tag) {
  std::array<std::byte, kTagBytes> copy{};
  std::copy_n(tag, copy.size(), copy.begin());
  int bytes = 0;
  return openSsl().EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes,
                                       copy.data()) == 1 &&
         openSsl().EVP_CipherFinal_ex(context_.get(), raw(end_), &bytes) == 1;
}

} // namespace copse::fabric
