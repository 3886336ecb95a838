#include "reduce_tensors.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

namespace copse::reductions {
namespace {

using poplar::Interval;
using poplar::Tensor;

/// Returns the distance in memory of two neighbours along a dimension; the largest number if they
/// lie in different variables.
std::size_t strideOf(const Tensor &in, unsigned dimension) {
  if (in.dim(dimension) < 2 || in.numElements() == 0)
    return 0;
  Tensor pair = in;
  for (unsigned d = 0; d != in.rank(); ++d)
    pair = pair.slice(0, d == dimension ? 2 : 1, d);
  pair = pair.flatten();
  const auto first = pair.slice(0, 1).getVarRegions().front();
  const auto second = pair.slice(1, 2).getVarRegions().front();
  if (first.var != second.var)
    return std::numeric_limits<std::size_t>::max();
  const std::size_t a = first.interval.begin(), b = second.interval.begin();
  return a < b ? b - a : a - b;
}

} // namespace

InMemoryOrder::InMemoryOrder(const Tensor &input, const std::vector<std::size_t> &dims) {
  std::vector<bool> reduced(input.rank(), false);
  for (const std::size_t dim : dims)
    reduced[dim] = true;
  std::vector<std::size_t> strides;
  std::vector<unsigned> order(input.rank()), outputDim(input.rank(), 0);
  unsigned outRank = 0;
  for (unsigned d = 0; d != input.rank(); ++d) {
    strides.push_back(strideOf(input, d));
    order[d] = d;
    outputDim[d] = reduced[d] ? 0 : outRank++;
  }
  std::stable_sort(order.begin(), order.end(),
                   [&](unsigned a, unsigned b) { return strides[a] > strides[b]; });
  for (const unsigned d : order) {
    dimensions.push_back({input.dim(d), reduced[d]});
    if (!reduced[d]) {
      outShape.push_back(input.dim(d));
      outOrder.push_back(outputDim[d]);
    }
  }
  dimensions = joined(dimensions);
  in = input.dimShuffle(order).flatten();
}

Tensor InMemoryOrder::asOutput(const Tensor &permuted) const {
  std::vector<unsigned> inverse(outOrder.size());
  for (unsigned i = 0; i != outOrder.size(); ++i)
    inverse[outOrder[i]] = i;
  return permuted.reshape(outShape).dimShuffle(inverse);
}
Tensor InMemoryOrder::permuted(const Tensor &output) const {
  return output.dimShuffle(outOrder).flatten();
}

std::vector<Segment> segmentsOf(const std::vector<PartialSet> &sets) {
  struct Edge {
    std::size_t set, begin; ///< results before this interval
    bool opens;
    Interval interval;
  };
  std::map<std::size_t, std::vector<Edge>> edges; // by position in the output
  for (std::size_t s = 0; s != sets.size(); ++s) {
    std::size_t before = 0;
    for (const Interval &interval : sets[s].results) {
      edges[interval.begin()].push_back({s, before, true, interval});
      edges[interval.end()].push_back({s, before, false, interval});
      before += interval.size();
    }
  }
  std::vector<Segment> segments;
  std::map<std::size_t, Edge> open; // by set
  std::size_t position = 0;
  for (const auto &[at, here] : edges) {
    if (!open.empty()) {
      Segment segment{Interval(position, at), {}};
      for (const auto &[set, edge] : open)
        segment.sources.push_back({set, edge.begin + position - edge.interval.begin()});
      segments.push_back(std::move(segment));
    }
    for (const Edge &edge : here)
      if (!edge.opens)
        open.erase(edge.set);
    for (const Edge &edge : here)
      if (edge.opens)
        open.emplace(edge.set, edge);
    position = at;
  }
  return segments;
}

std::vector<Segment> partsIn(const Interval &region, const std::vector<Segment> &segments) {
  std::vector<Segment> parts;
  auto at = std::partition_point(segments.begin(), segments.end(), [&](const Segment &s) {
    return s.outputs.end() <= region.begin();
  });
  for (; at != segments.end() && at->outputs.begin() < region.end(); ++at) {
    Segment part = *at;
    const std::size_t begin = std::max(region.begin(), at->outputs.begin());
    for (Segment::Source &source : part.sources)
      source.begin += begin - at->outputs.begin();
    part.outputs = Interval(begin, std::min(region.end(), at->outputs.end()));
    parts.push_back(std::move(part));
  }
  return parts;
}

Tensor gathered(const std::vector<PartialSet> &sets, const Segment &segment) {
  std::vector<Tensor> rows;
  for (const Segment::Source &source : segment.sources)
    rows.push_back(
        sets[source.set].data.slice(source.begin, source.begin + segment.outputs.size(), 1));
  return poplar::concat(rows);
}

} // namespace copse::reductions
