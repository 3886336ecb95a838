#include "exchange/arrivals.hpp"

#include "exchange/regions.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

/// Lines of both ends of moves between two calls of vertices: as many as a core can wait for at once.
constexpr unsigned kLinesAtOnce = 12;

} // namespace

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

void Arrivals::move(std::uint32_t tile) { runMovesInOrder(memory_, movesTo(tile)); }

void Arrivals::finish() {
  for (std::uint32_t tile = 0; tile < arrived_.size(); ++tile)
    if (arrived_[tile] == 0)
      move(tile);
}

[[gnu::target("prfchw")]] void Arrivals::Ahead::tell() {
  constexpr std::uint32_t kLine = 64;
  for (unsigned lines = 0; lines < kLinesAtOnce && !moves_.empty(); ++lines) {
    const wire::Move &move = moves_.front();
    __builtin_prefetch(memory_.at(move.from) + offset_, 0);
    __builtin_prefetch(memory_.at(move.to) + offset_, 1);
    offset_ += kLine;
    if (offset_ >= move.bytes || move.count != 1) {
      moves_ = moves_.subspan(1);
      offset_ = 0;
    }
  }
}

} // namespace copse::ipud
