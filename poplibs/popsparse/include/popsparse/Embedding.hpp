#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popsparse/FullyConnectedParams.hpp>
#include <popsparse/PlanningCache.hpp>
#include <popsparse/SparseTensor.hpp>

/// \file
/// Embeddings in sparse tables: an index is the number of a row of sparse weights [out, in], which
/// createFullyConnectedWeights() adds. Options and errors are as in popsparse/FullyConnected.hpp.

namespace popsparse {
namespace dynamic {

/// Adds indices.
/// \returns UNSIGNED_INT, shape [numIndices]
poplar::Tensor createIndicesTensor(poplar::Graph &graph, const FullyConnectedParams &params,
                                   std::size_t numIndices, const poplar::OptionFlags &options = {},
                                   const poplar::DebugContext &debugContext = {});
/// Adds a tensor for rows.
/// \returns shape [numIndices, in]
poplar::Tensor createSliceTensor(poplar::Graph &graph, const poplar::Type &dataType,
                                 const FullyConnectedParams &params, std::size_t numIndices,
                                 const poplar::DebugContext &debugContext = {},
                                 const poplar::OptionFlags &options = {},
                                 PlanningCache *cache = nullptr);
/// Copies rows, with zeros where the table has no values. The row of an index out of range is
/// zeros.
/// \returns shape [numIndices, in]
/// \throws poputil::poplibs_error if shapes or types do not fit, or the table was made for other
///   parameters
poplar::Tensor embeddingSlice(poplar::Graph &graph, const SparseTensor &t,
                              const poplar::Tensor &indices, poplar::program::Sequence &prog,
                              const FullyConnectedParams &params,
                              const poplar::DebugContext &debugContext = {},
                              const poplar::OptionFlags &options = {},
                              PlanningCache *cache = nullptr);
/// Adds scale * slices[i] to row indices[i], where the table has values.
/// \param scale  one element of the table's type
/// \throws poputil::poplibs_error if shapes or types do not fit, or the table was made for other
///   parameters
void embeddingUpdateAdd(poplar::Graph &graph, const SparseTensor &t, const poplar::Tensor &slices,
                        const poplar::Tensor &indices, const poplar::Tensor &scale,
                        poplar::program::Sequence &prog, const FullyConnectedParams &params,
                        const poplar::DebugContext &debugContext = {},
                        const poplar::OptionFlags &options = {}, PlanningCache *cache = nullptr);

} // namespace dynamic
} // namespace popsparse
