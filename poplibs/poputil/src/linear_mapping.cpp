#include "poputil/TileMapping.hpp"
#include "poputil/exceptions.hpp"
#include "tile_work/divided_up.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>

using poplar::Interval;

namespace poputil {
namespace {

using copse::tile_work::dividedUp;

constexpr std::size_t kMinBytesPerTile = 128; // less is not worth a tile's code and exchange

using Mapping = std::vector<std::vector<Interval>>;

std::size_t elementsOf(const std::vector<std::size_t> &shape) {
  return std::accumulate(shape.begin(), shape.end(), std::size_t{1}, std::multiplies<>());
}

unsigned minElementsOf(const poplar::Target &target, const poplar::Type &type) {
  return static_cast<unsigned>(dividedUp(kMinBytesPerTile, target.getTypeSize(type)));
}

} // namespace

Mapping calcLinearTileMapping(const poplar::Target &target, std::vector<std::size_t> shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                              bool ascendingOrder) {
  const std::size_t tiles = target.getNumTiles();
  const std::size_t grain = std::max(1u, grainSize);
  const std::size_t elements = elementsOf(shape);
  const std::size_t grains = dividedUp(elements, grain);
  const std::size_t minGrains = dividedUp(std::max(1u, minElementsPerTile), grain);
  const std::size_t used = std::clamp<std::size_t>(grains / minGrains, 1, tiles);
  Mapping mapping(tiles);
  for (std::size_t v = 0; v != used; ++v) {
    const std::size_t begin = v * grains / used * grain;
    const std::size_t end = std::min((v + 1) * grains / used * grain, elements);
    const std::size_t place = (v + offset) % tiles;
    if (begin < end)
      mapping[ascendingOrder ? place : tiles - 1 - place].emplace_back(begin, end);
  }
  return mapping;
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, std::vector<std::size_t> shape,
                              unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                              bool ascendingOrder) {
  return calcLinearTileMapping(graph.getTarget(), std::move(shape), minElementsPerTile, grainSize,
                               offset, ascendingOrder);
}

Mapping calcLinearTileMapping(const poplar::Graph &graph, const poplar::Tensor &t, unsigned offset,
                              bool ascendingOrder) {
  const poplar::Target &target = graph.getTarget();
  return calcLinearTileMapping(target, t.shape(), minElementsOf(target, t.elementType()),
                               target.getVectorWidth(t.elementType()), offset, ascendingOrder);
}

void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t, unsigned minElementsPerTile,
                       unsigned grainSize) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize));
}
void mapTensorLinearly(poplar::Graph &graph, const poplar::Tensor &t) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t));
}
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t,
                                 unsigned minElementsPerTile, unsigned grainSize, unsigned offset,
                                 bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t.shape(), minElementsPerTile, grainSize,
                                                offset, ascendingOrder));
}
void mapTensorLinearlyWithOffset(poplar::Graph &graph, const poplar::Tensor &t, unsigned offset,
                                 bool ascendingOrder) {
  graph.setTileMapping(t, calcLinearTileMapping(graph, t, offset, ascendingOrder));
}

std::size_t chooseMappingOffset(std::size_t numTiles, const std::vector<std::size_t> &shape,
                                std::size_t seed) {
  if (numTiles == 0)
    throw poplibs_error("chooseMappingOffset: there are no tiles");
  // FNV-1a over the numbers, whose upper half is the better one.
  std::uint64_t hash = 14695981039346656037u;
  const auto add = [&](std::uint64_t number) {
    for (unsigned byte = 0; byte != 8; ++byte)
      hash = (hash ^ (number >> (8 * byte) & 0xFF)) * 1099511628211u;
  };
  add(seed);
  for (const std::size_t size : shape)
    add(size);
  return (hash >> 32) % numTiles;
}

unsigned getTileImbalance(const Mapping &mapping, unsigned minElementsPerTile, unsigned grainSize) {
  std::size_t total = 0, largest = 0;
  for (const std::vector<Interval> &regions : mapping) {
    std::size_t here = 0;
    for (const Interval &region : regions)
      here += region.size();
    total += here;
    largest = std::max(largest, here);
  }
  const std::size_t share = std::max<std::size_t>(
      {mapping.empty() ? 0 : dividedUp(total, mapping.size()), minElementsPerTile, grainSize});
  return largest > share ? static_cast<unsigned>(largest - share) : 0;
}
unsigned getTileImbalance(const poplar::Graph &graph, const poplar::Tensor &t,
                          unsigned minElementsPerTile, unsigned grainSize) {
  return getTileImbalance(graph.getTileMapping(t), minElementsPerTile, grainSize);
}

} // namespace poputil
