#pragma once

#include "compiler/executable.hpp"
#include "compiler/placement.hpp"
#include "compiler/tile_allocator.hpp"
#include "graph/model.hpp"

#include <span>
#include <string>

namespace copse::compiler {

/// What the worst tiles are full of: a line for each of the worst \p tiles (worst first), with the
/// bytes of each use and the largest variables. Lines begin with a line end.
std::string memoryProfile(const graph::Model &model, const Placement &placement,
                          std::span<const GlobalTile> tiles, std::span<const TileUse> uses);

/// "12345678" as "12,345,678".
std::string grouped(std::uint64_t value);

} // namespace copse::compiler
