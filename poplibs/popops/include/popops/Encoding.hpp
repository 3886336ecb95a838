#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/EncodingConstants.hpp>

namespace popops {

/// Sets row i of \p encoded to 1 at column indices[i] and to 0 elsewhere; to 0 everywhere if the
/// index is out of range.
/// \param indices  shape [N], INT or UNSIGNED_INT
/// \param encoded  shape [N, C], FLOAT, HALF, INT or UNSIGNED_INT
/// \throws poputil::poplibs_error if types or shapes do not fit
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});
/// Encodes as the function above, with \p on instead of 1 and \p off instead of 0.
/// \param on, off  one element of the type of \p encoded each
/// \throws poputil::poplibs_error if types or shapes do not fit
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::Tensor &on, const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

///@{

/// Sets t[i] = startInteger + i.
/// - \p t: UNSIGNED_INT or INT, like \p startInteger; rank 0 or 1
/// \throws poputil::poplibs_error if \p t has another type or rank
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
///@}

} // namespace popops
