#include "exchange/arrivals.hpp"

#include "exchange/regions.hpp"

#include <algorithm>

namespace copse::ipud {

MovesByTile MovesByTile::of(const wire::Exchange &exchange, std::uint32_t computeSet,
                            std::span<const wire::TileVertices> tiles) {
  MovesByTile byTile{computeSet, {}, isWorthSharing(exchange.moves)};
  byTile.begins.reserve(tiles.size() + 1);
  byTile.begins.push_back(0);
  for (std::size_t t = 0; t + 1 < tiles.size(); ++t) {
    const auto next = std::ranges::upper_bound(exchange.moves.begin() + byTile.begins.back(),
                                               exchange.moves.end(), tiles[t].tile, {},
                                               [](const wire::Move &m) { return m.to.tile; });
    byTile.begins.push_back(static_cast<std::uint32_t>(next - exchange.moves.begin()));
  }
  byTile.begins.push_back(static_cast<std::uint32_t>(exchange.moves.size()));
  return byTile;
}

void Arrivals::move(std::uint32_t tile) {
  runFirstMoves(memory_, moves_.subspan(begins_[tile]), begins_[tile + 1] - begins_[tile]);
}

void Arrivals::finish() {
  for (std::uint32_t tile = 0; tile < arrived_.size(); ++tile)
    if (arrived_[tile] == 0)
      move(tile);
}

} // namespace copse::ipud
