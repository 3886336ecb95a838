#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Computes whether some element is not a number; false for an empty tensor.
/// \param src  FLOAT or HALF, any shape
/// \returns BOOL, shape {1}, on tile 0
/// \throws poputil::poplibs_error for another type
poplar::Tensor hasNaN(poplar::Graph &graph, const poplar::Tensor &src,
                      poplar::program::Sequence &prog,
                      const poplar::DebugContext &debugContext = {});
/// Computes whether some element is not a number or is infinite; otherwise as hasNaN().
poplar::Tensor hasNaNOrInf(poplar::Graph &graph, const poplar::Tensor &src,
                           poplar::program::Sequence &prog,
                           const poplar::DebugContext &debugContext = {});

} // namespace popops
