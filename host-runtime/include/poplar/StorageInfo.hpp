#pragma once

#include <cstddef>
#include <vector>

namespace poplar {
/// Says how much tile memory a tensor takes: Graph::getStorageInfo(). Elements that are at several
/// positions count once.
struct StorageInfo {
  /// The number of elements.
  std::size_t numElements = 0;
  /// The size on all tiles, without gaps for alignment [bytes].
  std::size_t numBytes = 0;
  /// The number of runs of elements that follow each other on one tile.
  std::size_t numRegions = 0;
  /// The size on each tile of the graph [bytes].
  std::vector<std::size_t> bytesOfTiles;
};

} // namespace poplar
