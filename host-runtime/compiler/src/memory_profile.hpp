#pragma once

#include "compiler/memory_layout.hpp"
#include "compiler/tile_allocator.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace copse::compiler {

/// What the worst tiles are full of: a line for each of the worst \p tiles (worst first), with the
/// bytes of each use and the largest variables. Lines begin with a line end.
std::string memoryProfile(std::uint32_t tilesPerIpu, std::span<const GlobalTile> tiles,
                          const MemoryLayout &layout);

/// "12345678" as "12,345,678".
std::string grouped(std::uint64_t value);

} // namespace copse::compiler
