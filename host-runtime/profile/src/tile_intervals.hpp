#pragma once

#include "profile/profile_data.hpp"

#include <vector>

namespace copse::profile {

inline bool areAlike(const TileTraffic &a, const TileTraffic &b) {
  return a.bytes == b.bytes && a.cycles == b.cycles;
}
inline bool areAlike(const TileCycles &a, const TileCycles &b) {
  return a.cycles == b.cycles && a.threadCycles == b.threadCycles;
}

/// Appends a tile, which must follow all others, or extends the last entry if both are alike.
template <class Tiles> void appendTile(std::vector<Tiles> &tiles, const Tiles &tile) {
  if (!tiles.empty() && tiles.back().first + tiles.back().count == tile.first &&
      areAlike(tiles.back(), tile))
    ++tiles.back().count;
  else
    tiles.push_back(tile);
}

} // namespace copse::profile
