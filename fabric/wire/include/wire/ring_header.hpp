#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

/// The header of a packet in a ring of shared memory. A ring loses, repeats and reorders nothing,
/// and is full when the receiver takes nothing, so the header has no sequence, no channel and no
/// acknowledgement.
namespace copse::wire {

/// PROTOCOL.md, section 2, says the same. The greeting of a ring tells its version.
struct RingHeader {
  std::uint32_t mark = 0; ///< ringHeader() sets it
  std::uint32_t epoch = 0;
  std::uint32_t from = 0, to = 0; ///< IPUs
  std::uint32_t tag = 0;
};
static_assert(std::has_unique_object_representations_v<RingHeader>);

RingHeader ringHeader(std::uint32_t epoch, std::uint32_t from, std::uint32_t to, std::uint32_t tag);

/// Reads a header frame, which may be any bytes from anywhere.
/// \returns nothing if it is not a header
std::optional<RingHeader> ringHeaderIn(std::span<const std::byte> frame);

} // namespace copse::wire
