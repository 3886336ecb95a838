#pragma once

#include <cstddef>
#include <iosfwd>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <popops/SortOrder.hpp>
#include <utility>
#include <vector>

/// \file
/// The k largest or smallest elements along the innermost dimension. Keys are FLOAT, HALF, INT or
/// UNSIGNED_INT. Equal keys come in any order unless the sort is stable.

namespace popops {

/// Says which elements topK() takes.
struct TopKParams {
  /// Sets all members.
  TopKParams(unsigned count, bool takeLargest, SortOrder order, bool stable = false) noexcept
      : k(count), largest(takeLargest), sortOrder(order), stableSort(stable) {}
  /// The number of elements.
  unsigned k;
  /// True: the largest ones; false: the smallest.
  bool largest;
  /// The order of the result.
  SortOrder sortOrder;
  /// True: equal keys come in the order of their positions.
  bool stableSort;
};
/// Writes the parameters as text.
std::ostream &operator<<(std::ostream &out, const TopKParams &params);

/// Adds an input laid out for topK(): whole rows on each tile.
poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape, const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});
/// Returns the k largest or smallest elements of each row.
/// \returns the shape of \p t with k elements in the last dimension
/// \throws poputil::poplibs_error if a row has fewer elements, or the type does not fit
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});
/// Returns the k largest or smallest keys of each row, and the values at their positions; otherwise
/// as topK().
/// \param values  has the shape of \p keys
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &keys,
             const poplar::Tensor &values, const TopKParams &params,
             const poplar::DebugContext &debugContext = {});
/// Returns the k largest or smallest elements of each row, and their positions in the row,
/// UNSIGNED_INT; otherwise as topK().
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});

} // namespace popops
