#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

/// \file
/// Sorting along a dimension, ascending; equal keys come in any order. Keys and values are FLOAT,
/// HALF, INT or UNSIGNED_INT. A row is sorted on one tile, which must have room for it.

namespace popops {

///@{

/// Sorts the elements of \p t along \p dim, to a new tensor or in place.
/// \throws poputil::poplibs_error if there is no such dimension or the type does not fit
poplar::Tensor sort(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                    poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
void sortInPlace(poplar::Graph &graph, const poplar::Tensor &t, unsigned dim,
                 poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
///@}

///@{

/// Sorts the values \p v by their keys \p k, of the same shape: to a new tensor of values, or both
/// in place.
/// \throws poputil::poplibs_error if shapes differ, a type does not fit, or keys and values have
///   elements in common
poplar::Tensor sortKeyValue(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v,
                            unsigned dim, poplar::program::Sequence &prog,
                            const poplar::DebugContext &debugContext = {});
void sortKeyValueInPlace(poplar::Graph &graph, const poplar::Tensor &k, const poplar::Tensor &v,
                         unsigned dim, poplar::program::Sequence &prog,
                         const poplar::DebugContext &debugContext = {});
///@}

} // namespace popops
