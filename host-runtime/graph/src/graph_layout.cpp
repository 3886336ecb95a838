#include "graph_impl.hpp"
#include "memory_order.hpp"
#include "rearranger.hpp"

#include "poplar/Graph.hpp"

namespace poplar {

using copse::graph::Access;
using copse::graph::AliasHandling;
using copse::graph::memoryOrder;
using copse::graph::Model;
using copse::graph::PositionInterval;
using copse::graph::RearrangerState;
using copse::graph::TensorState;
using copse::graph::TileSpace;
using copse::graph::View;

std::vector<std::vector<Interval>>
Graph::getSortedContiguousRegions(const Tensor &t, ArrayRef<Interval> regions,
                                  bool removeAliasedIntervals,
                                  std::vector<std::size_t> *aliases) const {
  const TensorState &state = Access::state(t, "getSortedContiguousRegions");
  std::vector<PositionInterval> intervals;
  for (const Interval &region : regions) {
    if (region.begin() > region.end() || region.end() > t.numElements()) {
      throw poplar_error("getSortedContiguousRegions: interval [" + std::to_string(region.begin()) +
                         "," + std::to_string(region.end()) + ") is not part of a tensor of " +
                         std::to_string(t.numElements()) + " elements");
    }
    if (region.begin() < region.end()) {
      intervals.emplace_back(region.begin(), region.end());
    }
  }
  const AliasHandling handling = removeAliasedIntervals ? AliasHandling::Remove
                                 : aliases              ? AliasHandling::Match
                                                        : AliasHandling::Keep;
  if (aliases) {
    aliases->clear();
  }
  std::vector<std::vector<Interval>> out;
  for (const auto &chain : memoryOrder(state.value.view, intervals, handling)) {
    std::vector<Interval> list;
    for (const auto &piece : chain) {
      list.emplace_back(piece.region.position, piece.region.position + piece.region.count);
      if (aliases) {
        aliases->push_back(piece.representative);
      }
    }
    out.push_back(std::move(list));
  }
  return out;
}

void Graph::reorderToSimplify(Tensor *t, ArrayRef<Tensor *> ts, bool) const {
  const TensorState &state = Access::state(*t, "reorderToSimplify");
  const std::size_t elements = t->numElements();
  for (const Tensor *other : ts) {
    if (other->numElements() != elements) {
      throw poplar_error("reorderToSimplify: tensors of shape " + t->shapeToString() + " and " +
                         other->shapeToString() + " differ in their number of elements");
    }
  }
  const RearrangerState order = RearrangerState::memoryOrderOf(state.value.view);
  const auto reorder = [&](Tensor &tensor) {
    const TensorState &old = Access::anyState(tensor, "reorderToSimplify");
    tensor = Access::viewed(old, order.apply(old.value.view));
  };
  reorder(*t);
  for (Tensor *other : ts) {
    reorder(*other);
  }
}

TensorRearranger Graph::getSimplifyingRearranger(const Tensor &t) const {
  const TensorState &state = Access::state(t, "getSimplifyingRearranger");
  return Access::rearranger(
      std::make_shared<const RearrangerState>(RearrangerState::memoryOrderOf(state.value.view)));
}

StorageInfo Graph::getStorageInfo(const Tensor &t) const {
  const TensorState &state = Access::state(t, "getStorageInfo");
  const Model &model = impl().model();
  const std::size_t size = elementBytes(model, state.value.type);
  StorageInfo info;
  info.bytesOfTiles.resize(impl().tiles.tiles());
  for (const auto &region : copse::graph::coveredElements(state.value.view)) {
    for (const auto &piece :
         model.variables[region.variable].tiles.pieces(region.begin, region.end())) {
      const std::uint32_t tile = piece.tile == copse::graph::kNoTile
                                     ? TileSpace::kOutside
                                     : impl().tiles.fromPhysical(piece.tile);
      if (tile == TileSpace::kOutside) {
        throw invalid_tile_mapping("getStorageInfo of " + t.getDebugStr() +
                                   ": some elements are on no tile of this graph; call "
                                   "setTileMapping");
      }
      ++info.numRegions;
      info.numElements += piece.end - piece.begin;
      info.bytesOfTiles[tile] += (piece.end - piece.begin) * size;
    }
  }
  info.numBytes = info.numElements * size;
  return info;
}

namespace {

/// Returns true if \p view repeats its first \p period positions along \p dimension.
bool repeats(const View &view, std::size_t period, unsigned dimension) {
  const std::size_t size = view.shape()[dimension];
  const View first = view.slice(0, period, dimension);
  // Comparing one element rejects most views.
  const View next = view.slice(period, 2 * period, dimension);
  return first.at(0) == next.at(0) && first.broadcast(size / period, dimension) == view;
}

View unbroadcast(View view, unsigned dimension) {
  const std::size_t size = view.shape()[dimension];
  for (std::size_t period = 1; period <= size / 2; ++period) {
    if (size % period == 0 && repeats(view, period, dimension)) {
      return view.slice(0, period, dimension);
    }
  }
  return view;
}

} // namespace

Tensor Graph::findUnbroadcastTensor(const Tensor &t) const {
  const TensorState &state = Access::state(t, "findUnbroadcastTensor");
  View view = state.value.view;
  if (!copse::graph::hasAliases(view)) {
    return t;
  }
  for (unsigned d = 0; d < view.shape().size(); ++d) {
    view = unbroadcast(std::move(view), d);
  }
  return Access::tensor(state.graph, {state.value.type, std::move(view)}, state.metadata);
}

} // namespace poplar
