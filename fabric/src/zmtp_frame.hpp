#pragma once

#include "curve_cipher.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// The frames of ZMTP 3 (RFC 37 of ZeroMQ): flags, a length of one byte or of eight, a body.
namespace copse::fabric::zmtp {

inline constexpr std::byte kMore{0x01}, kLong{0x02}, kCommand{0x04};
inline constexpr std::size_t kShortHeaderBytes = 2, kLongHeaderBytes = 9, kMostShortBytes = 255;

struct FrameHeader {
  std::byte flags{};
  std::size_t bytes = 0; ///< size of the header itself
  std::uint64_t body = 0;
};

/// \returns the header at the beginning of \p bytes; nothing if it is not complete
inline std::optional<FrameHeader> headerAt(std::span<const std::byte> bytes) {
  if (bytes.size() < kShortHeaderBytes)
    return {};
  if ((bytes[0] & kLong) == std::byte{0})
    return FrameHeader{bytes[0], kShortHeaderBytes, std::to_integer<std::uint64_t>(bytes[1])};
  if (bytes.size() < kLongHeaderBytes)
    return {};
  return FrameHeader{bytes[0], kLongHeaderBytes, curve::numberOf(bytes.subspan<1, 8>())};
}

inline std::size_t headerBytesFor(std::uint64_t bodyBytes) {
  return bodyBytes <= kMostShortBytes ? kShortHeaderBytes : kLongHeaderBytes;
}

/// Writes the header of a frame of \p bodyBytes.
/// \param at  has room for kLongHeaderBytes
/// \returns its size
inline std::size_t putHeader(std::byte *at, std::byte flags, std::uint64_t bodyBytes) {
  if (bodyBytes <= kMostShortBytes) {
    at[0] = flags;
    at[1] = static_cast<std::byte>(bodyBytes);
    return kShortHeaderBytes;
  }
  at[0] = flags | kLong;
  const auto size = curve::bytesOfNumber(bodyBytes);
  std::copy(size.begin(), size.end(), at + 1);
  return kLongHeaderBytes;
}

} // namespace copse::fabric::zmtp
