#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>

namespace popops {

/// Copies params[i][indices[i]] of each row: 0 where the index is MASKED_LABEL_CODE, NaN where it
/// is out of range.
/// \param params   shape [N, W], FLOAT or HALF
/// \param indices  shape [N], UNSIGNED_INT
/// \returns shape [N]
/// \throws poputil::poplibs_error if shapes or types do not fit
poplar::Tensor selectScalarFromRows(poplar::Graph &graph, const poplar::Tensor &params,
                                    const poplar::Tensor &indices, poplar::program::Sequence &prog,
                                    const poplar::DebugContext &debugContext = {});

} // namespace popops
