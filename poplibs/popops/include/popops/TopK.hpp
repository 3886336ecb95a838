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

// The k largest or smallest elements along the innermost dimension. Keys are FLOAT, HALF, INT or
// UNSIGNED_INT. Equal keys come in any order. Errors: poputil::poplibs_error.
namespace popops {

struct TopKParams {
  TopKParams(unsigned count, bool takeLargest, SortOrder order, bool stable = false) noexcept
      : k(count), largest(takeLargest), sortOrder(order), stableSort(stable) {}
  unsigned k;
  bool largest;
  SortOrder sortOrder; ///< of the result
  bool stableSort;     ///< equal keys in the order of their positions
};
std::ostream &operator<<(std::ostream &out, const TopKParams &params);

poplar::Tensor createTopKInput(poplar::Graph &graph, const poplar::Type &type,
                               const std::vector<std::size_t> &shape, const TopKParams &params,
                               const poplar::DebugContext &debugContext = {});
/// \returns the shape of \p t with k elements in the last dimension
poplar::Tensor topK(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});
/// \param values  of the shape of \p keys \returns keys, and the values that stand with them
std::pair<poplar::Tensor, poplar::Tensor>
topKKeyValue(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &keys,
             const poplar::Tensor &values, const TopKParams &params,
             const poplar::DebugContext &debugContext = {});
/// \returns elements, and their indices, UNSIGNED_INT
std::pair<poplar::Tensor, poplar::Tensor>
topKWithPermutation(poplar::Graph &graph, poplar::program::Sequence &prog, const poplar::Tensor &t,
                    const TopKParams &params, const poplar::DebugContext &debugContext = {});

} // namespace popops
