#include "rows.hpp"

#include <algorithm>

namespace popnn {

std::vector<RowShare> shareRows(const poplar::Graph &graph, const poplar::Tensor &t) {
  const std::size_t rows = t.dim(0), tiles = graph.getTarget().getNumTiles();
  if (rows == 0 || t.dim(1) == 0)
    return {};
  const std::size_t most = (rows + tiles - 1) / tiles;
  // Rows stay on the tiles of their first elements if no tile has more than an even share of these.
  const auto mapping = graph.getTileMapping(t.slice(0, 1, 1).flatten());
  std::vector<RowShare> shares;
  bool even = true;
  for (unsigned tile = 0; tile != mapping.size(); ++tile) {
    std::size_t count = 0;
    for (const poplar::Interval &rowsHere : mapping[tile]) {
      shares.push_back({tile, rowsHere.begin(), rowsHere.end()});
      count += rowsHere.size();
    }
    even &= count <= most;
  }
  if (even)
    return shares;
  shares.clear();
  for (std::size_t tile = 0, begin = 0; begin < rows; ++tile, begin += most)
    shares.push_back({static_cast<unsigned>(tile), begin, std::min(begin + most, rows)});
  return shares;
}

} // namespace popnn
