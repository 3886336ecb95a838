#pragma once

#include "wire/envelope.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// The header of a packet or an acknowledgement between processes of one machine: the same values as
/// in a Cap'n Proto header (wire/envelope.hpp), in fixed places. Memory damages nothing and both ends have this
/// processor's byte order, so what makes the other form safe between machines would only cost time: about
/// half of what a message of 64 bytes takes.
namespace copse::wire {

/// PROTOCOL.md, section 2, says the same.
struct LocalHeader {
  std::uint32_t mark = 0;
  std::uint16_t version = 0;
  std::uint8_t isPacket = 0; ///< 1, else 0: an Ack
  std::uint8_t channel = 0;
  std::uint32_t epoch = 0, from = 0, to = 0;
  std::uint32_t source = 0, destination = 0, tag = 0;
  std::uint64_t sequence = 0, payloadBytes = 0, payloadCheck = 0;
  std::array<Received, kChannels> channels{};
};
static_assert(sizeof(LocalHeader) == 104);

/// \returns nothing if \p envelope is neither a packet nor an acknowledgement
std::optional<LocalHeader> localHeaderOf(const Envelope &envelope);

/// Reads a header in either form, which may be any bytes from anywhere; otherwise as decodeEnvelope().
Result<Envelope> decodeLocalEnvelope(std::span<const std::byte> frame);

} // namespace copse::wire
