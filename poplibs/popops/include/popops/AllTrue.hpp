#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Computes whether all elements are true: a predicate for poplar::program::If and loops.
/// \param A  BOOL, any shape
/// \returns BOOL, shape {}
/// \throws poputil::poplibs_error if \p A is something else
poplar::Tensor allTrue(poplar::Graph &graph, poplar::Tensor A, poplar::program::Sequence &prog,
                       const poplar::DebugContext &debugContext = {});

} // namespace popops
