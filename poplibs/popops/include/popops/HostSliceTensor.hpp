#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {

struct IndicesAndTensor {
  poplar::Tensor indices;
  poplar::Tensor tensor;
};

/// Rows to copy from or to a stream or a remote buffer, spread evenly over all tiles of all IPUs.
/// \param shape   {rows, elements of a row} \param isRead  a hint, which changes nothing here
/// \returns UNSIGNED_INT indices, shape {rows}, and the rows
/// \throws poputil::poplibs_error if the rank is not 2
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const poplar::DebugContext &debugContext = {});
/// The same for any shape, without indices.
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
