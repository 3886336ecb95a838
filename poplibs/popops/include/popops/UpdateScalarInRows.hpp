#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Subtracts 1 from params[i][indices[i]] of each row. A row whose index is MASKED_LABEL_CODE is
/// left unchanged; a row whose index is out of range becomes NaN.
/// \param params   shape [N, W], FLOAT or HALF
/// \param indices  shape [N], UNSIGNED_INT
/// \throws poputil::poplibs_error if shapes or types do not fit
void updateScalarInRows(poplar::Graph &graph, const poplar::Tensor &params,
                        const poplar::Tensor &indices, poplar::program::Sequence &program,
                        const poplar::DebugContext &debugContext = {});

} // namespace popops
