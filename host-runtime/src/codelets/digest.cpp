#include "codelets/digest.hpp"

#include <array>
#include <openssl/evp.h>
#include <stdexcept>

namespace copse::codelets {

std::string sha256(std::span<const std::byte> bytes) {
  std::array<unsigned char, 32> digest{};
  if (EVP_Digest(bytes.data(), bytes.size(), digest.data(), nullptr, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("sha256 is not available in this OpenSSL");
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (unsigned char byte : digest) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

std::string sha256(std::string_view text) { return sha256(std::as_bytes(std::span(text))); }

} // namespace copse::codelets
