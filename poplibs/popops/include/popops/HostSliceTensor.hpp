#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Tensor.hpp>
#include <poplar/Type.hpp>
#include <vector>

namespace popops {

/// Holds rows that are exchanged with the host, and the indices that say which rows of the host's
/// buffer they are.
struct IndicesAndTensor {
  /// UNSIGNED_INT, shape [rows].
  poplar::Tensor indices;
  /// The rows.
  poplar::Tensor tensor;
};

/// Adds rows to copy from or to a stream or a remote buffer, spread evenly over all tiles of all
/// IPUs. See User guide, 2.6.4.
/// \param shape   [rows, elements of a row]
/// \param isRead  a hint without effect
/// \returns UNSIGNED_INT indices, shape [rows], and the rows
/// \throws poputil::poplibs_error if the rank is not 2
IndicesAndTensor createHostSliceableTensor(poplar::Graph &graph, const poplar::Type &type,
                                           const std::vector<std::size_t> &shape, const bool isRead,
                                           const poplar::DebugContext &debugContext = {});
/// Adds a tensor of any shape to copy from or to a stream, spread evenly over all tiles of all
/// IPUs. \p isRead is a hint without effect.
poplar::Tensor createHostTransferableTensor(poplar::Graph &graph, const poplar::Type &type,
                                            const std::vector<std::size_t> &shape, bool isRead,
                                            const poplar::DebugContext &debugContext = {});

} // namespace popops
