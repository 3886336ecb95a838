#pragma once

#include <cstdint>

namespace copse::ipud {

/// Tile cycles per worker cycle: the contexts of a tile take turns.
inline constexpr std::uint32_t kSlots = 6;

} // namespace copse::ipud
