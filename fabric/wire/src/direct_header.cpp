#include "wire/direct_header.hpp"

#include <cstring>

namespace copse::wire {
namespace {

// Neither the mark of a LocalHeader nor the first word of a Cap'n Proto header.
constexpr std::uint32_t kDirectMark = 0x676E6952;

} // namespace

DirectHeader directHeader(std::uint32_t epoch, std::uint32_t from, std::uint32_t to,
                          std::uint32_t tag) {
  return {kDirectMark, epoch, from, to, tag};
}

std::optional<DirectHeader> directHeaderIn(std::span<const std::byte> frame) {
  DirectHeader header;
  if (frame.size() != sizeof header)
    return {};
  std::memcpy(&header, frame.data(), sizeof header);
  if (header.mark != kDirectMark)
    return {};
  return header;
}

} // namespace copse::wire
