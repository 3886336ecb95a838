#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

/// The header of a direct packet: one between the two ends of a ring in shared memory. A ring loses, repeats and reorders nothing, and
/// is full when the receiver takes nothing, so the header has no sequence, no channel and no acknowledgement.
namespace copse::wire {

/// PROTOCOL.md, section 2, says the same. The greeting of a ring tells its version.
struct DirectHeader {
  std::uint32_t mark = 0; ///< directHeader() sets it
  std::uint32_t epoch = 0;
  std::uint32_t from = 0, to = 0; ///< IPUs: of the ring, and of the packet
  std::uint32_t tag = 0;
};
static_assert(std::has_unique_object_representations_v<DirectHeader>);

DirectHeader directHeader(std::uint32_t epoch, std::uint32_t from, std::uint32_t to,
                          std::uint32_t tag);

/// Reads a header frame, which may be any bytes from anywhere.
/// \returns nothing if it is one of another form
std::optional<DirectHeader> directHeaderIn(std::span<const std::byte> frame);

} // namespace copse::wire
