#include "tile_use.hpp"

#include <algorithm>

namespace copse::compiler {

TileUseMeter::TileUseMeter(const TileAllocator &allocator, std::uint32_t tiles)
    : allocator_(allocator), charged_(tiles, 0), uses_(tiles) {}

void TileUseMeter::charge(std::uint64_t TileUse::*use) {
  for (GlobalTile tile = 0; tile < uses_.size(); ++tile) {
    const std::uint64_t used = allocator_.used(tile) - allocator_.gaps(tile);
    uses_[tile].*use += used - charged_[tile];
    charged_[tile] = used;
  }
}

void TileUseMeter::separateConstants(const graph::Model &model) {
  for (const graph::Variable &variable : model.variables) {
    if (!variable.constant)
      continue;
    const std::uint64_t size = graph::elementBytes(model, variable.type);
    for (const auto &piece : variable.tiles.pieces(0, variable.elements)) {
      if (piece.tile == graph::kNoTile)
        continue;
      TileUse &use = uses_[piece.tile];
      const std::uint64_t bytes = std::min(use.variables, (piece.end - piece.begin) * size);
      use.variables -= bytes;
      use.constants += bytes;
    }
  }
}

} // namespace copse::compiler
