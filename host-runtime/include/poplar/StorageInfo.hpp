#pragma once

#include <cstddef>
#include <vector>

namespace poplar {

/// What a tensor takes of tile memory: Graph::getStorageInfo(). Elements that stand at several
/// positions count once.
struct StorageInfo {
  std::size_t numElements = 0;
  std::size_t numBytes = 0;              ///< of all tiles, without gaps for alignment
  std::size_t numRegions = 0;            ///< runs of elements that follow each other on one tile
  std::vector<std::size_t> bytesOfTiles; ///< of each tile of the graph
};

} // namespace poplar
