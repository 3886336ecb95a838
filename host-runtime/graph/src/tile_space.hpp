#pragma once

#include <cstdint>
#include <vector>

namespace copse::graph {

/// A virtual graph numbers its tiles from 0, whichever tiles of its parent it has. This class maps
/// these numbers to tile numbers of the top-level graph and back. A virtual graph of a virtual
/// graph is a subset() of its parent's space. Immutable.
class TileSpace {
public:
  static constexpr std::uint32_t kOutside = 0xFFFFFFFF;

  TileSpace() = default;
  /// The top-level graph: the mapping is the identity.
  explicit TileSpace(std::uint32_t tiles) : tiles_(tiles), physicalTiles_(tiles) {}

  std::uint32_t tiles() const { return tiles_; }
  /// \p tile must be less than tiles().
  std::uint32_t toPhysical(std::uint32_t tile) const {
    return toPhysical_.empty() ? tile : toPhysical_[tile];
  }
  /// Returns kOutside if the tile does not belong to the graph.
  std::uint32_t fromPhysical(std::uint32_t tile) const {
    if (toPhysical_.empty()) {
      return tile < tiles_ ? tile : kOutside;
    }
    return tile < fromPhysical_.size() ? fromPhysical_[tile] : kOutside;
  }
  /// Returns some of the tiles in this order; each must be less than tiles() and occur once.
  TileSpace subset(const std::vector<std::uint32_t> &tiles) const {
    TileSpace out;
    out.tiles_ = static_cast<std::uint32_t>(tiles.size());
    out.physicalTiles_ = physicalTiles_;
    out.fromPhysical_.assign(physicalTiles_, kOutside);
    for (const std::uint32_t tile : tiles) {
      out.fromPhysical_[toPhysical(tile)] = static_cast<std::uint32_t>(out.toPhysical_.size());
      out.toPhysical_.push_back(toPhysical(tile));
    }
    return out;
  }

private:
  std::uint32_t tiles_ = 0, physicalTiles_ = 0;
  std::vector<std::uint32_t> toPhysical_, fromPhysical_; ///< empty: the identity
};

} // namespace copse::graph
