#include "disk_cache/digest.hpp"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>

namespace copse::disk_cache {
namespace {

void require(int result) {
  if (result != 1)
    throw std::runtime_error("sha256 is not available in this OpenSSL");
}

} // namespace

struct Digest::State {
  struct Free {
    void operator()(EVP_MD_CTX *made) const { EVP_MD_CTX_free(made); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context{EVP_MD_CTX_new()};
};

Digest::Digest() : state_(std::make_unique<State>()) {
  require(EVP_DigestInit_ex(state_->context.get(), EVP_sha256(), nullptr));
}
Digest::~Digest() = default;
Digest::Digest(Digest &&) noexcept = default;
Digest &Digest::operator=(Digest &&) noexcept = default;

void Digest::add(std::span<const std::byte> bytes) {
  require(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()));
}

void Digest::add(std::string_view text) { add(std::as_bytes(std::span(text))); }

std::string Digest::finish() {
  std::array<unsigned char, 32> digest{};
  require(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr));
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string sha256(std::span<const std::byte> bytes) {
  Digest digest;
  digest.add(bytes);
  return digest.finish();
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

std::string sha256(const std::vector<std::string> &texts) {
  Digest digest;
  for (const std::string &text : texts) {
    digest.add(std::to_string(text.size()) + ":");
    digest.add(text);
  }
  return digest.finish();
}

} // namespace copse::disk_cache
