#pragma once

#include <cstddef>
#include <functional>
#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/OptionFlags.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <vector>

namespace popops {

/// A function that combines the elements \p current of an operand with elements of an update, and
/// returns the new elements.
using UpdateComputationFunc =
    std::function<poplar::Tensor(poplar::Graph &graph, poplar::Tensor &current,
                                 poplar::Tensor &update, poplar::program::Sequence &prog)>;

/// Writes updates into \p operand at the starts, in order, as XLA's Scatter does. A window that is
/// not wholly inside the operand is left out. \p options are accepted, without effect.
/// \param indexVectorDim            the dimension of \p indices along which the components of a
///   start lie; the rank of \p indices if each start is a scalar
/// \param updateWindowDims          dimensions of \p updates that belong to a window; numbers
///   beyond its rank are ignored
/// \param insertWindowDims          dimensions of \p operand that windows in \p updates do not
///   have; their size there is 1
/// \param scatterDimsToOperandDims  dimension of \p operand for each component of a start
/// \throws poputil::poplibs_error if arguments do not fit together
void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
             const poplar::Tensor &updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {});
/// Scatters as the function above, but writes the results of \p updateComputation, which is applied
/// to one update after the other.
void scatter(poplar::Graph &graph, const poplar::Tensor &operand, const poplar::Tensor &indices,
             const poplar::Tensor &updates, std::size_t indexVectorDim,
             std::vector<unsigned> updateWindowDims, std::vector<std::size_t> insertWindowDims,
             std::vector<unsigned> scatterDimsToOperandDims,
             UpdateComputationFunc &updateComputation, poplar::program::Sequence &prog,
             const poplar::DebugContext &debugContext = {},
             const poplar::OptionFlags &options = {});

} // namespace popops
