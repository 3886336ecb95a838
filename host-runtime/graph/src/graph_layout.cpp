#include "graph_impl.hpp"
#include "memory_order.hpp"

#include "poplar/Graph.hpp"

namespace poplar {

using copse::graph::Access;
using copse::graph::AliasHandling;
using copse::graph::BoxOrder;
using copse::graph::memoryOrder;
using copse::graph::PositionInterval;
using copse::graph::TensorState;
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
  // The order in memory is a shuffle of dimensions, or else a list of intervals.
  const std::optional<BoxOrder> shuffle = state.value.view.ascendingOrder();
  std::vector<PositionInterval> intervals;
  if (!shuffle) {
    const std::vector<PositionInterval> all{{0, elements}};
    for (const auto &chain : memoryOrder(state.value.view, all, AliasHandling::Keep)) {
      for (const auto &piece : chain) {
        intervals.emplace_back(piece.region.position, piece.region.position + piece.region.count);
      }
    }
  }
  const auto reorder = [&](Tensor &tensor) {
    const TensorState &old = Access::anyState(tensor, "reorderToSimplify");
    const View &view = old.value.view;
    if (shuffle) {
      tensor = Access::viewed(old, view.inOrder(*shuffle));
    } else {
      const View flat = view.reshape({elements});
      tensor = Access::viewed(old, intervals.size() > 1 ? flat.gather(intervals) : flat);
    }
  };
  reorder(*t);
  for (Tensor *other : ts) {
    reorder(*other);
  }
}

namespace {

/// Whether \p view is its first \p period positions along \p dimension, again and again.
bool repeats(const View &view, std::size_t period, unsigned dimension) {
  const std::size_t size = view.shape()[dimension];
  const View first = view.slice(0, period, dimension);
  // Most views are told apart by one element.
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
