#include "wire/ring_header.hpp"

#include <cstring>

namespace copse::wire {
namespace {

// Not the first word of a Cap'n Proto header.
constexpr std::uint32_t kRingMark = 0x676E6952;

} // namespace

RingHeader ringHeader(std::uint32_t epoch, std::uint32_t from, std::uint32_t to,
                      std::uint32_t tag) {
  return {kRingMark, epoch, from, to, tag};
}

std::optional<RingHeader> ringHeaderIn(std::span<const std::byte> frame) {
  RingHeader header;
  if (frame.size() != sizeof header)
    return {};
  std::memcpy(&header, frame.data(), sizeof header);
  if (header.mark != kRingMark)
    return {};
  return header;
}

} // namespace copse::wire
