#pragma once

#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popnn {

///@{

/// Computes the logarithms of the softmax of each row along the innermost dimension, as a new
/// tensor or in place.
/// - \p t: FLOAT or HALF
/// \throws poputil::poplibs_error for another type
poplar::Tensor logSoftmax(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                          const poplar::DebugContext &debugContext = {});
void logSoftmaxInPlace(poplar::Graph &graph, poplar::Tensor t, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});
///@}

} // namespace popnn
