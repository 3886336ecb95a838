#pragma once

#include <cstddef>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <poputil/VarStructure.hpp>
#include <vector>

/// \file
/// Changing the order in which a tensor's elements lie in memory, so that vertices find contiguous
/// groups along the dimension that they work on. Values never change.

namespace popops {
/// Other orders of a tensor's elements in memory.
namespace rearrange {

///@{

/// Adds a variable with the elements of \p t, of the same shape, in which groups of \p to.second
/// neighbours of dimension \p to.first follow each other in memory. The tensor is spread over all
/// tiles, in whole groups. The caller runs \p copies, then \p transposeCS. The compute set stays
/// empty: the exchange already puts the elements in their places.
/// - \p from: the grouping that \p t has; only checked
/// \throws poputil::poplibs_error if a dimension does not exist, or if its size is no multiple of
///   the group's
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             poplar::program::Sequence &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupTensor(poplar::Graph &graph, const poplar::Tensor &t,
                             std::vector<poplar::program::Copy> &copies,
                             const poplar::ComputeSet &transposeCS,
                             const poputil::GroupingInfo &from, const poputil::GroupingInfo &to,
                             const poplar::DebugContext &debugContext = {});
///@}

///@{

/// Returns \p in, or a copy with its elements grouped like \p ref's: if the innermost groups of the
/// two are along different dimensions, and the new groups have at least 8 bytes.
/// - \p ref: of the same rank
/// \throws poputil::poplibs_error if the ranks differ
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   const poplar::Tensor &ref, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {});
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   const poplar::Tensor &ref,
                                   std::vector<poplar::program::Copy> &copies,
                                   poplar::ComputeSet transposeCS,
                                   const poplar::DebugContext &debugContext = {});
///@}

/// Returns \p in, or a copy in groups of \p preferredGrouping along the last dimension, if it has
/// smaller ones and the dimension is a multiple of them.
poplar::Tensor regroupIfBeneficial(poplar::Graph &graph, const poplar::Tensor &in,
                                   std::size_t preferredGrouping, poplar::program::Sequence &prog,
                                   const poplar::DebugContext &debugContext = {});

/// Adds a tensor with the last two dimensions of \p in swapped. Each matrix is transposed by a
/// vertex of \p cs, on the tile of its first element.
/// \throws poputil::poplibs_error if \p in has fewer than two dimensions, or a type without such
///   vertices
poplar::Tensor partialTranspose(poplar::Graph &graph, const poplar::Tensor &in,
                                const poplar::ComputeSet &cs,
                                const poplar::DebugContext &debugContext = {});

} // namespace rearrange
} // namespace popops
