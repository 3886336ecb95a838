#pragma once

#include "control/loaded.hpp"
#include "tile/codelet_fault.hpp"
#include "tile/tile_memory.hpp"

namespace copse::ipud {

/// Code::VertexFault with IPU, tile, worker, vertex type, compute set and what happened.
wire::Status vertexFault(const Loaded &loaded, const TileMemory &memory,
                         const wire::ComputeSet &set, const CodeletFault &fault);

} // namespace copse::ipud
