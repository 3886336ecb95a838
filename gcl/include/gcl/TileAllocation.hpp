#pragma once

#include <poplar/Graph.hpp>
#include <vector>

namespace gcl {

/// Tiles of each IPU that programs should set aside for exchanges with the host and other IPUs, at
/// least: 32, or the environment variable GCL_NUM_IO_TILES. On small models at most half of the
/// tiles.
/// \throws poputil::poplibs_error if the variable is not a number of tiles of \p graph
unsigned getMinIoTiles(const poplar::Graph &graph);

/// Tiles, numbered within an IPU, that are spread over the chip: \p count of them, after the first
/// \p offset. All calls take tiles from one order, so (0, n) and (n, rest) share none and have all.
/// \param sorted     the result is ascending
/// \param tilePairs  two tiles that share an exchange bus follow each other in the order
/// \throws poputil::poplibs_error if there are not as many tiles
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count,
                                  bool sorted = true, bool tilePairs = true);

} // namespace gcl
