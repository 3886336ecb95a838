#include "digest.hpp"

#include "model.hpp"

#include <cstring>
#include <openssl/evp.h>
#include <stdexcept>

namespace transformer {

namespace {

std::string sha256(const std::vector<float> &data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned length = 0;
  if (EVP_Digest(data.data(), data.size() * sizeof data[0], digest, &length, EVP_sha256(),
                 nullptr) != 1)
    throw std::runtime_error("SHA-256 is not available");
  static const char kHex[] = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i != length; ++i) {
    text += kHex[digest[i] >> 4];
    text += kHex[digest[i] & 15];
  }
  return text;
}

} // namespace

std::string parametersDigest(poplar::Engine &engine, const std::vector<std::size_t> &counts,
                             unsigned replicas) {
  std::vector<float> all;
  for (unsigned stage = 0; stage != counts.size(); ++stage) {
    const std::size_t count = counts[stage];
    std::vector<float> values(count * replicas);
    engine.readTensor(valuesHandle(stage), values.data(), values.data() + values.size());
    for (unsigned r = 1; r != replicas; ++r)
      if (std::memcmp(values.data(), values.data() + r * count, count * sizeof(float)) != 0)
        throw std::runtime_error("replica " + std::to_string(r) +
                                 " has other parameters than replica 0");
    all.insert(all.end(), values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return sha256(all);
}

} // namespace transformer
