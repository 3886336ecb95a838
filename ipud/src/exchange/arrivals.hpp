#pragma once

#include "tile/tile_memory.hpp"

#include "wire/image.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace copse::ipud {

/// The moves of an exchange (wire::Exchange::byTile), grouped by the tiles of the following compute
/// set.
struct MovesByTile {
  std::uint32_t computeSet = 0; ///< index in the image
  /// Moves [begins[t], begins[t + 1]) go to tile number t of the compute set, or to tiles without
  /// vertices before it; for the last tile, also to tiles after it. Shape [ComputeSet::tiles + 1].
  std::vector<std::uint32_t> begins;
  bool share = false; ///< isWorthSharing()

  static MovesByTile of(const wire::Exchange &exchange, std::uint32_t computeSet,
                        std::span<const wire::TileVertices> tiles);
};

/// One run of such an exchange. The data of each tile arrive just before its vertices run, so that
/// the vertices find them in a cache.
///
/// Thread: one thread calls arrive() for a tile; finish() is called when all threads have stopped.
class Arrivals {
public:
  /// Keeps references to its arguments.
  Arrivals(const TileMemory &memory, const wire::Exchange &exchange, const MovesByTile &byTile)
      : memory_(memory), moves_(exchange.moves), begins_(byTile.begins),
        arrived_(byTile.begins.size() - 1, 0), share_(byTile.share) {}

  /// Does the moves to tile number \p tile of the compute set.
  void arrive(std::uint32_t tile) {
    move(tile);
    arrived_[tile] = 1;
  }
  /// Does the moves to tiles that no thread has reached, for example after a fault.
  void finish();
  bool isWorthSharing() const { return share_; }

private:
  void move(std::uint32_t tile);

  const TileMemory &memory_;
  std::span<const wire::Move> moves_;
  std::span<const std::uint32_t> begins_;
  std::vector<char> arrived_; ///< not bool: threads write adjacent elements
  bool share_;
};

} // namespace copse::ipud
