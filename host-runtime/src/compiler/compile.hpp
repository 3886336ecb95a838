#pragma once

#include "compiler/compute_set_lowering.hpp"
#include "compiler/executable.hpp"
#include "graph/model.hpp"

#include "sync/groups.hpp"

#include <span>

namespace copse::compiler {

/// Tile memory of the target.
struct TileMemory {
  std::uint32_t base = 0;  ///< first populated address
  std::uint64_t bytes = 0; ///< populated bytes of each tile
  std::uint32_t slotBits = 21;
  std::uint32_t workers = 6;
  bool sharing = true; ///< what is never live together may have the same memory
};

/// Lowers a graph and its programs to one image per IPU.
///
/// Passes, in order: instances for replicas; hazards; place variables; lay vertex states out;
/// reserve buffers; check that all of it fits; emit exchanges, compute sets and steps. Two equal
/// graphs give equal images.
/// \throws poplar::graph_connection_error, invalid_tile_mapping, control_program_error,
///   graph_memory_allocation_error (names IPU, tile, bytes needed and there, and the largest
///   variables)
Executable compile(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                   const TileMemory &memory, const CycleEstimate &estimate,
                   const sync::Scheme &scheme);

} // namespace copse::compiler
