#pragma once

#include "poplar/DebugContext.hpp"
#include "poplar/SyncType.hpp"
#include "poplar/Tensor.hpp"

namespace poplar {

class Graph;
namespace program {
class Sequence;
}

/// Measures what \p prog holds now: puts a sync and a reading of the cycle counter before and after
/// it.
///
/// \returns UNSIGNED_INT, shape {2}, on \p tile: the modelled cycles of the last run between the
/// two readings, low
///   word first
Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile, SyncType syncType,
                  const DebugContext &debugContext = {});

/// The form before there was a choice of syncs: only the IPU's own tiles wait.
inline Tensor cycleCount(Graph &graph, program::Sequence &prog, unsigned tile,
                         const DebugContext &debugContext = {}) {
  return cycleCount(graph, prog, tile, SyncType::INTERNAL, debugContext);
}

} // namespace poplar
