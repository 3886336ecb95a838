// How dimensions of a tensor lie on tiles.
#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>
#include <limits>

using poplar::Graph;
using poplar::Interval;
using poplar::Tensor;

namespace poputil {
namespace {

constexpr unsigned kNowhere = std::numeric_limits<unsigned>::max();

/// Returns the place of every element, in row-major order.
template <typename Place>
std::vector<unsigned> placesOf(const Graph &graph, const Tensor &flat, Place place) {
  std::vector<unsigned> places(flat.numElements(), kNowhere);
  const auto mapping = graph.getTileMapping(flat);
  for (unsigned tile = 0; tile != mapping.size(); ++tile)
    for (const Interval &region : mapping[tile])
      std::fill(places.begin() + static_cast<std::ptrdiff_t>(region.begin()),
                places.begin() + static_cast<std::ptrdiff_t>(region.end()), place(tile));
  return places;
}

template <typename Place>
bool isSplit(const Graph &graph, const Tensor &t, unsigned dimension, Place place) {
  if (dimension >= t.rank())
    throw poplibs_error("there is no dimension " + std::to_string(dimension) + " in shape " +
                        t.shapeToString());
  const std::size_t n = t.dim(dimension);
  const auto places = placesOf(graph, t.dimRoll(dimension, t.rank() - 1).flatten(), place);
  for (std::size_t row = 0; row < places.size(); row += n)
    for (std::size_t i = 1; i < n; ++i)
      if (places[row + i] != places[row])
        return true;
  return false;
}

} // namespace

bool dimIsSplitOverTiles(const Graph &graph, const Tensor &t, unsigned dimension) {
  return isSplit(graph, t, dimension, [](unsigned tile) { return tile; });
}

bool dimIsSplitOverIPUs(const Graph &graph, const Tensor &t, unsigned dimension) {
  const unsigned perIpu = graph.getTarget().getTilesPerIPU();
  return isSplit(graph, t, dimension, [perIpu](unsigned tile) { return tile / perIpu; });
}

Tensor createBroadcastOperand(Graph &graph, const Tensor &fullTensor, const poplar::Type &type,
                              unsigned dim, bool ditherMapping,
                              const poplar::DebugContext &debugContext) {
  if (dim >= fullTensor.rank())
    throw poplibs_error("createBroadcastOperand: there is no dimension " + std::to_string(dim) +
                        " in shape " + fullTensor.shapeToString());
  const std::size_t n = fullTensor.dim(dim);
  const Tensor out = graph.addVariable(type, {n}, debugContext);
  if (n == 0)
    return out;
  const Tensor rows = fullTensor.dimRoll(dim).flatten(1, fullTensor.rank());
  const std::size_t others = n == 0 ? 0 : fullTensor.numElements() / n;
  if (others == 0) {
    mapTensorLinearly(graph, out);
    return out;
  }
  // Among the elements with one index, each index takes the tile of another element, so that an
  // operand of a tensor that is split over the other dimensions is spread, too.
  const auto tiles = placesOf(graph, rows.flatten(), [](unsigned tile) { return tile; });
  std::size_t first = 0;
  if (ditherMapping)
    for (const std::size_t size : fullTensor.shape())
      first = first * 31 + size;
  for (std::size_t i = 0; i != n; ++i) {
    const std::size_t pick = (first + i * others / n) % others;
    graph.setTileMapping(out.slice(i, i + 1), tiles[i * others + pick]);
  }
  return out;
}

} // namespace poputil
