#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/Tensor.hpp"

namespace poplar {

class Graph;
namespace program {
class Sequence;
}

/// Measures the steps that \p prog has so far: inserts a sync and a reading of the cycle counter
/// before and after them.
/// \param tile      the tile whose counter is read
/// \param syncType  the participants of the syncs
/// \returns UNSIGNED_INT, shape [2], on \p tile: the modelled cycles of the last run between the
///   two readings, low word first
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});

/// Measures in the same way, with SyncType::INTERNAL. Older programs use this form.
inline Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                         const DebugContext &debugContext = {}) {
  return cycleCount(graph, prog, tile, SyncType::INTERNAL, debugContext);
}

} // namespace poplar
