#pragma once

#include "compiler/memory_layout.hpp"
#include "compiler/tile_allocator.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace copse::compiler {

/// Describes the contents of the worst \p tiles: one line per tile, worst first, with the bytes of
/// each use and the largest variables. Each line begins with a newline.
std::string memoryProfile(std::uint32_t tilesPerIpu, std::span<const GlobalTile> tiles,
                          const MemoryLayout &layout);

/// Returns 12345678 as "12,345,678".
std::string grouped(std::uint64_t value);

} // namespace copse::compiler
