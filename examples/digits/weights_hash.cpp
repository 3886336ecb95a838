#include "weights_hash.hpp"

#include <cstring>
#include <openssl/evp.h>
#include <stdexcept>

namespace digits {
namespace {

std::string sha256(const void *data, std::size_t bytes) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(data, bytes, digest, &length, EVP_sha256(), nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  static const char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < length; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

} // namespace

std::string hashOfWeights(const std::vector<float> &weights, unsigned replicas) {
  const std::size_t count = weights.size() / replicas;
  for (unsigned r = 1; r < replicas; ++r)
    if (std::memcmp(weights.data(), weights.data() + r * count, count * sizeof(float)) != 0)
      throw std::runtime_error("replica " + std::to_string(r) +
                               " has other weights than replica 0");
  return sha256(weights.data(), count * sizeof(float));
}

} // namespace digits
