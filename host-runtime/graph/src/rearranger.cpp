#include "rearranger.hpp"

#include "memory_order.hpp"

#include "graph/state.hpp"
#include "poplar/TensorRearranger.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>
#include <numeric>
#include <string>

namespace copse::graph {
namespace {

std::vector<unsigned> inverseOf(const std::vector<unsigned> &permutation) {
  std::vector<unsigned> inverse(permutation.size());
  for (unsigned i = 0; i < permutation.size(); ++i)
    inverse[permutation[i]] = i;
  return inverse;
}

/// Returns the positions of \p flat, which are in \p order, in their original order.
View undone(const View &flat, const BoxOrder &order) {
  std::vector<std::size_t> shuffled;
  for (const unsigned d : order.permutation)
    shuffled.push_back(order.shape[d]);
  View view = flat.reshape(shuffled).dimShuffle(inverseOf(order.permutation));
  for (const unsigned d : order.reversed)
    view = view.reverse(d);
  return view;
}

/// Returns the inverse of a permutation given by \p intervals, which contain every position once.
std::vector<PositionInterval> inverseOf(const std::vector<PositionInterval> &intervals) {
  std::vector<PositionInterval> moved; // old interval start, new interval start
  std::uint64_t position = 0;
  for (const auto &[begin, end] : intervals) {
    moved.emplace_back(begin, position);
    position += end - begin;
  }
  std::sort(moved.begin(), moved.end());
  std::vector<PositionInterval> inverse;
  for (std::size_t i = 0; i < moved.size(); ++i) {
    const std::uint64_t next = i + 1 < moved.size() ? moved[i + 1].first : position;
    inverse.emplace_back(moved[i].second, moved[i].second + next - moved[i].first);
  }
  return inverse;
}

} // namespace

RearrangerState RearrangerState::memoryOrderOf(const View &view) {
  RearrangerState order{view.shape(), view.ascendingOrder(), {}};
  if (order.shuffle)
    return order;
  const std::vector<PositionInterval> all{{0, view.numElements()}};
  for (const auto &chain : memoryOrder(view, all, AliasHandling::Keep))
    for (const auto &piece : chain)
      order.intervals.emplace_back(piece.region.position,
                                   piece.region.position + piece.region.count);
  return order;
}

View RearrangerState::apply(const View &view) const {
  if (shuffle)
    return view.inOrder(*shuffle);
  const View flat = view.reshape({view.numElements()});
  return intervals.size() > 1 ? flat.gather(intervals) : flat;
}

View RearrangerState::undo(const View &view) const {
  const View flat = view.reshape({view.numElements()});
  if (shuffle)
    return undone(flat, *shuffle).reshape(shape);
  return (intervals.size() > 1 ? flat.gather(inverseOf(intervals)) : flat).reshape(shape);
}

const RearrangerState &Access::state(const poplar::TensorRearranger &rearranger) {
  if (!rearranger.state_)
    throw poplar::poplar_error("the TensorRearranger is empty; make it with "
                               "Graph::getSimplifyingRearranger");
  return *rearranger.state_;
}

} // namespace copse::graph

namespace poplar {

using copse::graph::Access;
using copse::graph::RearrangerState;
using copse::graph::TensorState;
using copse::graph::View;

namespace {

std::size_t elementsOf(const RearrangerState &order) {
  return std::accumulate(order.shape.begin(), order.shape.end(), std::size_t{1},
                         std::multiplies<>());
}

/// Returns a view in which element i has number i.
View numbered(const RearrangerState &order) { return View::ofVariable(0, order.shape); }

/// Returns the numbers that a view of numbers has at \p intervals.
std::vector<Interval> numbersAt(const View &numbers, ArrayRef<Interval> intervals,
                                const char *who) {
  const std::size_t elements = numbers.numElements();
  const View flat = numbers.reshape({elements});
  std::vector<Interval> found;
  const auto add = [&](std::size_t begin, std::size_t end) {
    if (!found.empty() && found.back().end() == begin)
      found.back() = Interval(found.back().begin(), end);
    else
      found.emplace_back(begin, end);
  };
  for (const Interval &interval : intervals) {
    if (interval.begin() > interval.end() || interval.end() > elements)
      throw poplar_error(std::string(who) + ": the interval ends at " +
                         std::to_string(interval.end()) + " of " + std::to_string(elements) +
                         " elements");
    for (const auto &run : flat.slice(interval.begin(), interval.end(), 0).runs())
      if (run.stride == 1)
        add(run.begin, run.begin + run.count);
      else
        for (std::uint64_t i = 0; i < run.count; ++i)
          add(copse::graph::elementOf(run, i), copse::graph::elementOf(run, i) + 1);
  }
  return found;
}

/// \throws poplar_error if \p t does not have as many elements as the order has positions
const TensorState &checkedState(const RearrangerState &order, const Tensor &t, const char *who) {
  const TensorState &state = Access::anyState(t, who);
  const std::size_t elements = elementsOf(order);
  if (t.numElements() != elements)
    throw poplar_error(std::string(who) + ": the order is one of " + std::to_string(elements) +
                       " elements, the tensor has shape " + t.shapeToString());
  return state;
}

} // namespace

TensorRearranger::TensorRearranger() = default;

Tensor TensorRearranger::rearrange(const Tensor &t) const {
  const RearrangerState &order = Access::state(*this);
  const TensorState &state = checkedState(order, t, "TensorRearranger::rearrange");
  return Access::viewed(state, order.apply(state.value.view));
}

Tensor TensorRearranger::undoRearrangement(const Tensor &t) const {
  const RearrangerState &order = Access::state(*this);
  const TensorState &state = checkedState(order, t, "TensorRearranger::undoRearrangement");
  return Access::viewed(state, order.undo(state.value.view));
}

std::vector<Interval> TensorRearranger::rearrange(ArrayRef<Interval> intervals) const {
  const RearrangerState &order = Access::state(*this);
  return numbersAt(order.undo(numbered(order)), intervals, "TensorRearranger::rearrange");
}

std::vector<Interval> TensorRearranger::undoRearrangement(ArrayRef<Interval> intervals) const {
  const RearrangerState &order = Access::state(*this);
  return numbersAt(order.apply(numbered(order)), intervals, "TensorRearranger::undoRearrangement");
}

} // namespace poplar
