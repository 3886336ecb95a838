#pragma once

#include <poplar/DebugContext.hpp>
#include <poplar/Graph.hpp>
#include <poplar/Program.hpp>
#include <poplar/Tensor.hpp>
#include <popops/EncodingConstants.hpp>

namespace popops {

/// Sets row i of \p encoded to 0, except 1 at indices[i]; all 0 if that is out of range.
/// \param indices  shape [N], INT or UNSIGNED_INT
/// \param encoded  shape [N, C], FLOAT, HALF, INT or UNSIGNED_INT
/// \throws poputil::poplibs_error if types or shapes do not fit
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::DebugContext &debugContext = {});
/// Encodes so with \p on and \p off, each one element of the type of \p encoded, for 1 and 0.
void encodeOneHot(poplar::Graph &graph, const poplar::Tensor &indices,
                  const poplar::Tensor &encoded, poplar::program::Sequence &prog,
                  const poplar::Tensor &on, const poplar::Tensor &off,
                  const poplar::DebugContext &debugContext = {});

///@{

/// Sets t[i] = startInteger + i.
/// - \p t: UNSIGNED_INT or INT, as \p startInteger, of rank 1 at most
/// \throws poputil::poplibs_error if \p t is something else
void iota(poplar::Graph &graph, const poplar::Tensor &t, unsigned startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
void iota(poplar::Graph &graph, const poplar::Tensor &t, int startInteger,
          poplar::program::Sequence &prog, const poplar::DebugContext &debugContext = {});
///@}

} // namespace popops
