#pragma once

#include "compiler/tile_allocator.hpp"
#include "compiler/vertex_index.hpp"
#include "graph/model.hpp"

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// Keeps memory for the code with which the supervisor of each tile would run its compute sets.
/// Nothing lies there, as control programs are interpreted outside tile memory, but a program that
/// fits must fit with it. An estimate, as nobody publishes that code: for each compute set on a
/// tile eight instructions (sync, the addresses of vertex states and codelets, the wait for the
/// workers, the exchange's set-up and return), and for each vertex the one that launches it.
///
/// The last to allocate, so that no address depends on it. None on a CPU.
/// \returns the bytes before the end of each tile's memory that it takes. Shape [tiles]
std::vector<std::uint64_t> reserveControlCode(const graph::Model &model, const VertexIndex &index,
                                              TileAllocator &allocator);

} // namespace copse::compiler
