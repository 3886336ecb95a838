#include "graph_impl.hpp"

#include "graph/replicas.hpp"
#include "graph/run_list.hpp"
#include "poplar/Graph.hpp"

#include <algorithm>

namespace poplar {

using copse::graph::Access;
using copse::graph::kNoTile;
using copse::graph::Model;
using copse::graph::Run;
using copse::graph::TensorState;
using copse::graph::TileSpace;

namespace {

void mapRuns(Model &model, const std::vector<Run> &runs, std::uint32_t physicalTile) {
  for (const Run &run : runs) {
    if (run.stride == 1) {
      mapElements(model, run.variable, run.begin, run.begin + run.count, physicalTile);
      continue;
    }
    for (std::uint64_t i = 0; i < run.count; ++i) {
      const std::uint64_t element = elementOf(run, i);
      mapElements(model, run.variable, element, element + 1, physicalTile);
    }
  }
}

void checkTile(std::size_t tile, const TileSpace &tiles, const std::string &what) {
  if (tile >= tiles.tiles()) {
    throw invalid_tile_mapping("setTileMapping of " + what + ": there is no tile " +
                               std::to_string(tile) + " in a graph of " +
                               std::to_string(tiles.tiles()) + " tiles");
  }
}

/// Checks that no interval ends beyond the tensor, and that none overlap.
void checkIntervals(const Tensor &t, const Graph::TileToTensorMapping &mapping) {
  std::vector<Interval> all;
  for (const std::vector<Interval> &intervals : mapping) {
    all.insert(all.end(), intervals.begin(), intervals.end());
  }
  std::sort(all.begin(), all.end());
  std::size_t covered = 0;
  for (const Interval &interval : all) {
    const std::string text =
        "[" + std::to_string(interval.begin()) + "," + std::to_string(interval.end()) + ")";
    if (interval.begin() > interval.end() || interval.end() > t.numElements()) {
      throw invalid_tile_mapping("setTileMapping of " + t.getDebugStr() + ": interval " + text +
                                 " is not one of its " + std::to_string(t.numElements()) +
                                 " elements");
    }
    if (interval.begin() < interval.end() && interval.begin() < covered) {
      throw invalid_tile_mapping("setTileMapping of " + t.getDebugStr() + ": interval " + text +
                                 " overlaps another one");
    }
    covered = std::max(covered, interval.end());
  }
}

/// Builds a mapping from pieces in order of position.
class MappingBuilder {
public:
  explicit MappingBuilder(const TileSpace &tiles) : tiles_(tiles), mapping_(tiles.tiles()) {}

  void add(std::uint64_t position, std::uint64_t count, std::uint32_t physicalTile) {
    const std::uint32_t tile =
        physicalTile == kNoTile ? TileSpace::kOutside : tiles_.fromPhysical(physicalTile);
    if (tile == TileSpace::kOutside) {
      complete_ = false;
      return;
    }
    std::vector<Interval> &intervals = mapping_[tile];
    if (!intervals.empty() && intervals.back().end() == position) {
      intervals.back() = Interval(intervals.back().begin(), position + count);
    } else {
      intervals.emplace_back(position, position + count);
    }
  }
  bool complete() const { return complete_; }
  Graph::TileToTensorMapping take() { return std::move(mapping_); }

private:
  const TileSpace &tiles_;
  Graph::TileToTensorMapping mapping_;
  bool complete_ = true;
};

} // namespace

void Graph::setTileMapping(VertexRef v, unsigned tile) {
  Model &model = impl().model();
  if (v.getId() >= model.vertices.size()) {
    throw poplar_error("setTileMapping: the graph has no such vertex");
  }
  auto &vertex = model.vertices[v.getId()];
  checkTile(tile, impl().tiles, "vertex '" + model.vertexTypes[vertex.type].name + "'");
  vertex.tile = impl().tiles.toPhysical(tile);
}

void Graph::setTileMapping(const Tensor &t, unsigned tile) {
  const TensorState &state = Access::state(t, "setTileMapping");
  if (tile >= impl().tiles.tiles()) {
    checkTile(tile, impl().tiles, t.getDebugStr());
  }
  mapRuns(impl().model(), state.value.view.elementRuns(), impl().tiles.toPhysical(tile));
}

void Graph::setTileMapping(const Tensor &t, const TileToTensorMapping &mapping) {
  const TensorState &state = Access::state(t, "setTileMapping");
  checkIntervals(t, mapping);
  for (std::size_t tile = 0; tile < mapping.size(); ++tile) {
    for (const Interval &interval : mapping[tile]) {
      checkTile(tile, impl().tiles, t.getDebugStr());
      copse::graph::RunList list;
      state.value.view.addRuns(interval.begin(), interval.end(), list);
      mapRuns(impl().model(), list.runs(),
              impl().tiles.toPhysical(static_cast<std::uint32_t>(tile)));
    }
  }
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool *isComplete) const {
  const TensorState &state = Access::state(t, "getTileMapping");
  const Model &model = impl().model();
  MappingBuilder builder(impl().tiles);
  std::uint64_t position = 0;
  for (const Run &run : state.value.view.runs()) {
    model.variables[run.variable].tiles.visit(
        run, [&](std::uint64_t first, std::uint64_t count, std::uint32_t tile) {
          builder.add(position + first, count, tile);
        });
    position += run.count;
  }
  if (isComplete) {
    *isComplete = builder.complete();
  }
  return builder.take();
}

Graph::TileToTensorMapping Graph::getTileMapping(const Tensor &t, bool requireComplete) const {
  bool complete = true;
  TileToTensorMapping mapping = getTileMapping(t, &complete);
  if (requireComplete && !complete) {
    throw invalid_tile_mapping("getTileMapping of " + t.getDebugStr() +
                               ": some elements are on no tile of this graph; call setTileMapping");
  }
  return mapping;
}

} // namespace poplar
