#include "wire/envelope.hpp"

#define XXH_INLINE_ALL // avoids a run-time dependency on libxxhash
#include <xxhash.h>

namespace copse::wire {

std::uint64_t payloadHash(std::span<const std::byte> payload) {
  const std::uint64_t hash = XXH3_64bits(payload.data(), payload.size());
  return hash == 0 ? 1 : hash;
}

} // namespace copse::wire
