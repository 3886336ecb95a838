#pragma once

#include <cstdint>

namespace copse::isa {

/// Generations of the tile, oldest first. What one of them has, later ones have too.
enum class Architecture : std::uint8_t { Ipu1, Ipu2, Ipu21 };

/// Who executes: the control thread of a tile, or one of its workers.
enum class Context : std::uint8_t { Supervisor, Worker };

} // namespace copse::isa
