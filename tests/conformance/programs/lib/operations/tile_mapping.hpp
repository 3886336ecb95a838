#pragma once

// Where elements lie, and how the regions of a tile are shared out among its workers.
#include <algorithm>
#include <functional>
#include <numeric>
#include <poplar/Graph.hpp>
#include <poplar/Interval.hpp>
#include <vector>

namespace operations {

using Regions = std::vector<poplar::Interval>;

inline poplar::Graph::TileToTensorMapping linearMapping(const poplar::Graph &graph,
                                                        const std::vector<std::size_t> &shape,
                                                        unsigned minElements, unsigned grain) {
  const std::size_t elements =
      std::accumulate(shape.begin(), shape.end(), std::size_t(1), std::multiplies<std::size_t>());
  const std::size_t grains = (elements + grain - 1) / grain;
  const std::size_t grainsOfATile = std::max<std::size_t>(1, (minElements + grain - 1) / grain);
  const std::size_t tiles = std::max<std::size_t>(
      1, std::min<std::size_t>(graph.getTarget().getNumTiles(), grains / grainsOfATile));
  poplar::Graph::TileToTensorMapping mapping(tiles); // shorter than the target
  for (std::size_t tile = 0; tile != tiles; ++tile) {
    const auto begin = tile * grains / tiles * grain;
    const auto end = std::min(elements, (tile + 1) * grains / tiles * grain);
    if (begin != end)
      mapping[tile].emplace_back(begin, end);
  }
  return mapping;
}

inline void mapLinearly(poplar::Graph &graph, const poplar::Tensor &t) {
  const auto &target = graph.getTarget();
  const auto bytes = target.getTypeSize(t.elementType());
  graph.setTileMapping(t, linearMapping(graph, t.shape(), (128 + bytes - 1) / bytes,
                                        target.getVectorWidth(t.elementType())));
}

/// In order, in parts of about the same size, cut at multiples of \p grain.
inline std::vector<std::vector<Regions>> splitBetweenWorkers(const poplar::Target &target,
                                                             const std::vector<Regions> &regions,
                                                             unsigned grain) {
  std::size_t total = 0;
  for (const Regions &contiguous : regions)
    for (const auto &region : contiguous)
      total += region.size();
  const std::size_t workers = target.getNumWorkerContexts();
  const std::size_t share =
      std::max<std::size_t>(grain, ((total + workers - 1) / workers + grain - 1) / grain * grain);
  std::vector<std::vector<Regions>> parts;
  std::size_t room = 0;
  for (const Regions &contiguous : regions) {
    bool startsRow = true;
    for (const auto &region : contiguous) {
      for (std::size_t begin = region.begin(); begin != region.end();) {
        if (room == 0) {
          parts.emplace_back();
          room = share;
          startsRow = true;
        }
        const std::size_t end = std::min(region.end(), begin + room);
        if (startsRow)
          parts.back().emplace_back();
        startsRow = false;
        parts.back().back().emplace_back(begin, end);
        room -= end - begin;
        begin = end;
      }
    }
  }
  return parts;
}

} // namespace operations
