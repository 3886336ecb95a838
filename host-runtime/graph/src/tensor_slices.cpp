#include "tensor_checks.hpp"

#include "graph/state.hpp"
#include "poplar/Tensor.hpp"
#include "poplar/exceptions.hpp"

#include <algorithm>

namespace poplar {

using copse::graph::Access;
using copse::graph::checkDimension;
using copse::graph::failOn;
using copse::graph::Run;
using copse::graph::TensorState;
using copse::graph::View;

namespace {

/// The indices that an interval requests along a dimension of some size.
struct Asked {
  std::size_t begin = 0, end = 0; ///< the existing part
  std::size_t beyond = 0;         ///< number of indices beyond the end
};

Asked split(const Interval &interval, std::size_t size) {
  const std::size_t begin = std::min(interval.begin(), size);
  const std::size_t end = std::min(interval.end(), size);
  return {begin, end, interval.end() - interval.begin() - (end - begin)};
}

View beyondTheEnd(std::vector<std::size_t> shape) {
  std::uint64_t elements = 1;
  for (const std::size_t size : shape) {
    elements *= size;
  }
  std::vector<Run> runs;
  if (elements > 0) {
    runs.push_back({copse::graph::kBeyondTheEnd, 0, elements, 1});
  }
  return View::ofRuns(std::move(runs), std::move(shape));
}

/// Returns the slices of one list as one tensor.
Tensor joinedSlices(const Tensor &t, const TensorState &state,
                    const std::vector<Interval> &intervals, unsigned dimension) {
  const View &view = state.value.view;
  // Nearly all of the millions of lists in a graph have one interval within the dimension.
  if (intervals.size() == 1 && intervals[0].begin() <= intervals[0].end() &&
      intervals[0].end() <= view.shape()[dimension])
    return Access::viewed(state, view.slice(intervals[0].begin(), intervals[0].end(), dimension));
  std::vector<View> pieces;
  std::size_t beyond = 0;
  for (const Interval &interval : intervals) {
    if (interval.begin() > interval.end()) {
      failOn(t, "Tensor::slices",
             "[" + std::to_string(interval.begin()) + "," + std::to_string(interval.end()) +
                 ") ends before it begins");
    }
    const Asked asked = split(interval, view.shape()[dimension]);
    pieces.push_back(view.slice(asked.begin, asked.end, dimension));
    if (asked.beyond > 0) {
      std::vector<std::size_t> shape = view.shape();
      shape[dimension] = asked.beyond;
      pieces.push_back(beyondTheEnd(std::move(shape)));
      beyond += asked.beyond;
    }
  }
  if (pieces.empty()) {
    pieces.push_back(view.slice(0, 0, dimension));
  }
  TensorState joined = state;
  joined.reachesBeyond = state.reachesBeyond || beyond > 0;
  return Access::viewed(joined, View::concat(pieces, dimension));
}

} // namespace

std::vector<Tensor> Tensor::slices(ArrayRef<Interval> intervals, unsigned dimension) const {
  std::vector<Tensor> out;
  out.reserve(intervals.size());
  for (const Interval &interval : intervals) {
    out.push_back(slice(interval, dimension));
  }
  return out;
}

std::vector<Tensor> Tensor::slices(const std::vector<std::vector<Interval>> &intervals,
                                   unsigned dimension) const {
  checkDimension(*this, dimension, "Tensor::slices");
  std::vector<Tensor> out;
  out.reserve(intervals.size());
  for (const std::vector<Interval> &list : intervals) {
    out.push_back(joinedSlices(*this, *state_, list, dimension));
  }
  return out;
}

std::vector<Tensor> Tensor::slices(ArrayRef<unsigned> indices, unsigned dimension) const {
  std::vector<Tensor> out;
  out.reserve(indices.size());
  for (const std::size_t i : indices) {
    out.push_back(slice(i, i + 1, dimension));
  }
  return out;
}

} // namespace poplar
