#pragma once

#include "control/loaded.hpp"
#include "tile/codelet_fault.hpp"
#include "tile/tile_memory.hpp"

namespace copse::ipud {

/// Returns Code::VertexFault naming IPU, tile, worker, vertex type, compute set and fault.
wire::Status vertexFault(const Loaded &loaded, const TileMemory &memory,
                         const wire::ComputeSet &set, const CodeletFault &fault);

} // namespace copse::ipud
