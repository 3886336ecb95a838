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

/// The tile memory of the target.
struct TargetMemory {
  std::uint32_t base = 0;  ///< first populated address
  std::uint64_t bytes = 0; ///< populated bytes per tile
  std::uint32_t slotBits = 21;
  std::uint32_t workers = 6;
  bool sharing = true; ///< items that are never live together may share memory
  /// True: a tile may have as much memory as it needs and can address. The images then have more
  /// memory than the target.
  bool mayOverflow = false;
  bool checked = false; ///< images get wire::CheckTables
  std::uint64_t addressable() const { return (std::uint64_t{1} << slotBits) - base; }
};

/// Receives the progress of a compilation. Members may be empty.
struct CompileWatch {
  std::function<void(unsigned percent)> progress; ///< over all passes; ascending
  std::function<void(const char *name)> pass;     ///< called when a pass begins
  std::ostream *variables = nullptr; ///< receives the addresses of variables: variable_dump.hpp
};

/// Lowers a graph and its programs to one image per IPU. Equal graphs give equal images.
///
/// Passes, in order: create instances for replicas; check hazards; place variables; lay out vertex
/// states; reserve buffers; check that everything fits; emit exchanges, compute sets and steps.
///
/// \throws poplar::graph_connection_error, invalid_tile_mapping, control_program_error,
///   graph_memory_allocation_error (names IPU, tile, needed and available bytes, and the largest
///   items of the worst tiles)
CompiledProgram compile(const graph::Model &model, std::span<const graph::ProgramPtr> programs,
                        const TargetMemory &memory, const CycleEstimate &estimate,
                        const sync::Scheme &scheme, const CompileWatch &watch = {});

} // namespace copse::compiler
