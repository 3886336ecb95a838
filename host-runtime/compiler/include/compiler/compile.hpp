#pragma once

#include "compiler/compute_set_lowering.hpp"
#include "compiler/executable.hpp"
#include "graph/model.hpp"
#include "sync/groups.hpp"

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <span>

namespace copse::compiler {

/// Tile memory of the target.
struct TargetMemory {
  std::uint32_t base = 0;  ///< first populated address
  std::uint64_t bytes = 0; ///< populated bytes of each tile
  std::uint32_t slotBits = 21;
  std::uint32_t workers = 6;
  bool sharing = true; ///< what is never live together may have the same memory
  /// A tile may have as much as it needs, up to what it can address: the images then have more
  /// memory than the target.
  bool mayOverflow = false;
  bool checked = false; ///< images get wire::CheckTables
  std::uint64_t addressable() const { return (std::uint64_t{1} << slotBits) - base; }
};

/// For those who want to hear of a compilation while it goes on. Members may be empty.
struct CompileWatch {
  std::function<void(unsigned percent)> progress; ///< of the passes; ascending
  std::function<void(const char *name)> pass;     ///< a pass begins
  std::ostream *variables = nullptr;              ///< gets where they lie: variable_dump.hpp
};

/// Lowers a graph and its programs to one image per IPU.
///
/// Passes, in order: instances for replicas; hazards; place variables; lay vertex states out;
/// reserve buffers; check that all of it fits; emit exchanges, compute sets and steps. Two equal
/// graphs give equal images.
/// \throws poplar::graph_connection_error, invalid_tile_mapping, control_program_error,
///   graph_memory_allocation_error (names IPU, tile, bytes needed and there, and what the worst
///   tiles are full of)
CompiledProgram compile(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                        const TargetMemory &memory, const CycleEstimate &estimate,
                        const sync::Scheme &scheme, const CompileWatch &watch = {});

} // namespace copse::compiler
