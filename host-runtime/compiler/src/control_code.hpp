#pragma once

#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// Reserves memory for the code with which the supervisor of each tile would run its compute sets.
/// Control programs are interpreted outside of tile memory, so the memory stays unused, but a
/// program that fits here must fit a chip with that code. The size is an estimate, because that
/// code is not public: eight instructions for each compute set on a tile (sync, the addresses of
/// vertex states and codelets, the wait for the workers, the exchange's set-up and return), and one
/// for each vertex, which launches it.
///
/// Must allocate last, so that no address depends on the estimate. Reserves nothing on a CPU.
/// \returns the reserved bytes at the end of each tile's memory. Shape [tiles]
std::vector<std::uint64_t> reserveControlCode(const graph::Model &model, const VertexIndex &index,
                                              TileAllocator &allocator);

} // namespace copse::compiler
