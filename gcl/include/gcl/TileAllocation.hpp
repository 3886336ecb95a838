#pragma once

#include <poplar/Graph.hpp>
#include <vector>

namespace gcl {

/// Returns the smallest number of tiles of each IPU that programs should reserve for exchanges with
/// the host and other IPUs: 32, or the environment variable GCL_NUM_IO_TILES. Small models reserve
/// at most half of the tiles.
/// \throws poputil::poplibs_error if the variable is not a number from 1 to the tiles of an IPU of
///   \p graph
unsigned getMinIoTiles(const poplar::Graph &graph);

/// Returns \p count tiles, numbered within an IPU, that are spread over the chip, after skipping \p
/// offset. All calls take tiles from one order, so that (0, n) and (n, rest) are disjoint and cover
/// all tiles.
/// \param sorted     default true: the result is ascending
/// \param tilePairs  default true: two tiles that share an exchange bus are neighbours in the order
/// \throws poputil::poplibs_error if there are too few tiles
std::vector<unsigned> perIPUTiles(const poplar::Graph &graph, unsigned offset, unsigned count,
                                  bool sorted = true, bool tilePairs = true);

} // namespace gcl
