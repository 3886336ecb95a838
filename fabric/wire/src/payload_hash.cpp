#include "wire/envelope.hpp"

#include <bit>
#include <cstring>

namespace copse::wire {
namespace {

constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15; // 2^64 / golden ratio, odd
constexpr std::size_t kLanes = 4; // independent chains, so that multiplications overlap

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  return std::rotl((hash ^ word) * kMultiplier, 29);
}

std::uint64_t wordAt(const std::byte *bytes) {
  std::uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

} // namespace

std::uint64_t payloadHash(std::span<const std::byte> payload) {
  std::uint64_t lanes[kLanes] = {1, 2, 3, 4};
  const std::byte *at = payload.data();
  std::size_t left = payload.size();
  for (; left >= sizeof lanes; at += sizeof lanes, left -= sizeof lanes)
    for (std::size_t i = 0; i < kLanes; ++i)
      lanes[i] = mix(lanes[i], wordAt(at + i * sizeof(std::uint64_t)));
  std::uint64_t hash = mix(payload.size(), lanes[0]);
  for (std::size_t i = 1; i < kLanes; ++i)
    hash = mix(hash, lanes[i]);
  for (; left > 0; ++at, --left)
    hash = mix(hash, std::to_integer<std::uint64_t>(*at));
  hash = mix(hash, hash >> 32);
  return hash == 0 ? 1 : hash;
}

} // namespace copse::wire
