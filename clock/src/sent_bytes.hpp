#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace copse::clock {

/// What each tile sends to others in an exchange [bytes]. The exchange hands the same data to any number of
/// receivers at once, so a block that several moves read is sent once.
///
/// Costs per move, not per block: blocks of a move with a stride are one interval.
std::unordered_map<std::uint32_t, std::uint64_t> sentBytes(std::span<const wire::Move> moves);

} // namespace copse::clock
