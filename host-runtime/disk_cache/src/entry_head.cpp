#include "entry_head.hpp"

#define XXH_INLINE_ALL
#include <array>
#include <cstdio>
#include <xxhash.h>

namespace copse::disk_cache {
namespace {

constexpr std::size_t kHashDigits = 32;

std::string hexadecimal(std::uint64_t number) {
  std::array<char, 17> digits{};
  std::snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

/// Returns the head without the hash of the body.
std::string beginOf(std::string_view title, std::uint64_t bodyBytes) {
  return "copse cache entry 1\n" + std::string(title) + "\n" + hexadecimal(bodyBytes) + " ";
}

} // namespace

std::size_t headBytesOf(std::string_view title) {
  return beginOf(title, 0).size() + kHashDigits + 1;
}

std::string headOf(std::string_view title, std::string_view body) {
  const XXH128_hash_t hash = XXH3_128bits(body.data(), body.size());
  return beginOf(title, body.size()) + hexadecimal(hash.high64) + hexadecimal(hash.low64) + "\n";
}

bool isHeadOf(std::string_view head, std::string_view title, std::uint64_t bodyBytes) {
  return head.starts_with(beginOf(title, bodyBytes));
}

} // namespace copse::disk_cache
