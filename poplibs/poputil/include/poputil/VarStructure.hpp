#pragma once

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <utility>
#include <vector>

// How the elements of a tensor lie in memory.
namespace poputil {

/// A dimension, and how many of its neighbouring elements follow each other in memory.
using GroupingInfo = std::pair<unsigned, unsigned>;

/// Returns the largest divisor of the last dimension for which each group of so many elements is
/// consecutive in one variable, on one tile; 1 for an empty tensor.
/// \throws poplibs_error if \p t has no dimensions
unsigned detectInnermostGrouping(const poplar::Graph &graph, const poplar::Tensor &t);

/// Returns how elements are grouped in memory, from the innermost grouping outwards; the product of
/// their sizes is the number of consecutive elements. A dimension may appear more than once.
std::vector<GroupingInfo> detectDimGroupings(const poplar::Graph &graph, const poplar::Tensor &t);

/// Adds a variable in which each part is one contiguous region; it is not mapped. A dimension of n
/// in d parts has parts of ceil(n / d) first, then of floor(n / d).
/// \throws poplibs_error if \p shape and \p nPartitions differ in length, or there are 0 parts
poplar::Tensor createPartitionableTensor(poplar::Graph &graph, const poplar::Type &type,
                                         const std::vector<std::size_t> &shape,
                                         const std::vector<std::size_t> &nPartitions,
                                         const poplar::DebugContext &debugContext = {});
/// Calls \p f with the indices and the view of each part, in row-major order.
/// \throws poplibs_error as createPartitionableTensor()
void iterateTensorPartitions(
    const poplar::Tensor &t, const std::vector<std::size_t> &nPartitions,
    const std::function<void(const std::vector<std::size_t> &i, const poplar::Tensor &s)> &f);

} // namespace poputil
