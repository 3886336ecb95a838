#include "poputil/VarStructure.hpp"
#include "poputil/exceptions.hpp"

#include <algorithm>
#include <string>

using poplar::Interval;
using poplar::Tensor;

namespace poputil {
namespace {

/// Ends of the runs of a flattened tensor that are consecutive in a variable and on one tile.
std::vector<std::size_t> runEnds(const poplar::Graph &graph, const Tensor &flat) {
  std::vector<std::size_t> ends;
  for (const Interval &region : flat.getContiguousRegions())
    ends.push_back(region.end());
  for (const std::vector<Interval> &tile : graph.getTileMapping(flat, false))
    for (const Interval &region : tile)
      ends.push_back(region.end());
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  return ends;
}

std::size_t greatestCommonDivisor(std::size_t a, std::size_t b) {
  return b == 0 ? a : greatestCommonDivisor(b, a % b);
}

/// Returns the largest grouping of which every run's end is a multiple, and which divides the last
/// dimension.
unsigned innermostGrouping(const poplar::Graph &graph, const Tensor &t) {
  std::size_t grouping = t.dim(t.rank() - 1);
  for (const std::size_t end : runEnds(graph, t.flatten()))
    grouping = greatestCommonDivisor(grouping, end);
  return static_cast<unsigned>(grouping);
}

std::vector<std::size_t> partEnds(std::size_t n, std::size_t parts) {
  std::vector<std::size_t> ends = {0};
  for (std::size_t i = 0; i != parts; ++i)
    ends.push_back(ends.back() + n / parts + (i < n % parts ? 1 : 0));
  return ends;
}

void checkRanks(std::size_t rank, const std::vector<std::size_t> &nPartitions) {
  if (rank != nPartitions.size())
    throw poplibs_error("a tensor of rank " + std::to_string(rank) + " cannot have partitions of " +
                        std::to_string(nPartitions.size()) + " dimensions");
  if (std::find(nPartitions.begin(), nPartitions.end(), 0u) != nPartitions.end())
    throw poplibs_error("a dimension in 0 partitions");
}

/// Returns the tensor of shape \p sizes whose parts \p take hands out, put together along one
/// dimension after the other.
Tensor assembled(const std::vector<std::vector<std::size_t>> &ends, unsigned dimension,
                 std::vector<std::size_t> &sizes,
                 const std::function<Tensor(const std::vector<std::size_t> &)> &take) {
  if (dimension == ends.size())
    return take(sizes);
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i + 1 != ends[dimension].size(); ++i) {
    sizes.push_back(ends[dimension][i + 1] - ends[dimension][i]);
    parts.push_back(assembled(ends, dimension + 1, sizes, take));
    sizes.pop_back();
  }
  return poplar::concat(parts, dimension);
}

} // namespace

unsigned detectInnermostGrouping(const poplar::Graph &graph, const Tensor &t) {
  if (t.rank() == 0)
    throw poplibs_error("detectInnermostGrouping: a tensor of rank 0 has no innermost dimension");
  return t.numElements() == 0 ? 1 : innermostGrouping(graph, t);
}

std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const Tensor &t) {
  std::vector<GroupingInfo> groupings;
  if (t.numElements() == 0 || t.rank() == 0)
    return groupings;
  // A grouping that is found is split off and moved to the end; then the rest is searched in the
  // same way.
  Tensor rest = t;
  unsigned found = 1; // size of what is consecutive already
  for (;;) {
    unsigned bestDim = 0, best = 1;
    for (unsigned d = 0; d != t.rank(); ++d) {
      if (rest.dim(d) == 1)
        continue;
      const Tensor last =
          found == 1 ? rest.dimRoll(d, rest.rank() - 1)
                     : rest.dimRoll(d, rest.rank() - 2).flatten(rest.rank() - 2, rest.rank());
      const unsigned grouping = innermostGrouping(graph, last) / found;
      if (grouping > best) {
        best = grouping;
        bestDim = d;
      }
    }
    if (best == 1)
      return groupings;
    groupings.emplace_back(bestDim, best);
    const std::size_t outer = rest.dim(bestDim) / best;
    Tensor split = rest.reshapePartial(bestDim, bestDim + 1, {outer, best});
    split = split.dimRoll(bestDim + 1, split.rank() - 1 - (found == 1 ? 0 : 1));
    rest = found == 1 ? split : split.flatten(split.rank() - 2, split.rank());
    found *= best;
  }
}

Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                 const std::vector<std::size_t> &shape,
                                 const std::vector<std::size_t> &nPartitions,
                                 const poplar::DebugContext &debugContext) {
  checkRanks(shape.size(), nPartitions);
  std::size_t elements = 1;
  std::vector<std::vector<std::size_t>> ends;
  for (std::size_t d = 0; d != shape.size(); ++d) {
    elements *= shape[d];
    ends.push_back(partEnds(shape[d], nPartitions[d]));
  }
  const Tensor flat = graph.addVariable(type, {elements}, debugContext);
  std::size_t taken = 0;
  std::vector<std::size_t> sizes;
  return assembled(ends, 0, sizes, [&](const std::vector<std::size_t> &part) {
    std::size_t n = 1;
    for (const std::size_t size : part)
      n *= size;
    taken += n;
    return flat.slice(taken - n, taken).reshape(part);
  });
}

void iterateTensorPartitions(
    const Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i, const Tensor &s)> &f) {
  checkRanks(t.rank(), nPartitions);
  std::vector<std::vector<std::size_t>> ends;
  std::size_t parts = 1;
  for (unsigned d = 0; d != t.rank(); ++d) {
    ends.push_back(partEnds(t.dim(d), nPartitions[d]));
    parts *= nPartitions[d];
  }
  for (std::size_t part = 0; part != parts; ++part) {
    std::vector<std::size_t> index(t.rank()), begin(t.rank()), end(t.rank());
    std::size_t rest = part;
    for (std::size_t d = t.rank(); d-- != 0;) {
      index[d] = rest % nPartitions[d];
      rest /= nPartitions[d];
      begin[d] = ends[d][index[d]];
      end[d] = ends[d][index[d] + 1];
    }
    f(index, t.slice(begin, end));
  }
}

} // namespace poputil
