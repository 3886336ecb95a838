#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>

namespace copse::clock {

/// Returns the bytes that each tile sends to other tiles in an exchange. The exchange delivers one
/// transmission to any number of receivers, so a block that several moves read is sent once.
///
/// The cost grows with the number of moves, not of blocks: the blocks of a strided move are one
/// interval.
std::unordered_map<std::uint32_t, std::uint64_t> sentBytes(std::span<const wire::Move> moves);

} // namespace copse::clock
