#pragma once

#include "exchange/arrivals.hpp"
#include "processor/tile_processor.hpp"
#include "tile/bad_access.hpp"
#include "tile/modules.hpp"
#include "tile/native_entries.hpp"
#include "tile/native_matrix.hpp"
#include "tile/register_words.hpp"
#include "tile/tile_memory.hpp"
#include "tile/vertex_stops.hpp"
#include "tile/vertex_trace.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace copse::ipud {

/// How to call one function of an image.
struct EntryPoint {
  wire::CodeletEntry entry = nullptr; ///< for native functions
  bool multiVertex = false;
  wire::CodeKind kind = wire::CodeKind::Native;
  std::uint32_t address = 0; ///< CodeletFunction::entry
};

/// The state of the tiles of an IPU that has tile code.
struct TileCodeState {
  /// \param entries  entries of native code; must end at chip.nativeEnd
  TileCodeState(const Chip &chip, std::vector<CodeRange> ranges, NativeEntries entries,
                Translation translation)
      : cache(chip, std::move(ranges), translation), natives(std::move(entries)) {}

  CodeCache cache;
  NativeEntries natives;
  std::vector<std::unique_ptr<TileContexts>> tiles; ///< shape [tiles]; null: no vertices
  std::uint32_t supervisorStack = 0;
  std::int64_t workerLimit = TileProcessor::kDefaultLimit; ///< [worker cycles]
};

/// Everything that a thread needs to call the vertices of a compute set.
struct Vertices {
  const TileMemory &memory;
  std::span<const EntryPoint> functions; ///< shape [Image::functions]
  const wire::ComputeSet &set;
  RegisterWords &registers;
  TileCodeState *code = nullptr; ///< null: all functions are native
  /// Gets the cycles of each vertex [tile cycles] if they exceed the value that is there; native
  /// vertices leave it unchanged. Shape [set.vertices], or empty.
  std::span<std::uint64_t> cycles = {};
  VertexTrace *trace = nullptr;       ///< may be null
  const Modules *modules = nullptr;   ///< modules of the native functions
  MatrixUnits *matrixUnits = nullptr; ///< matrix units of tiles without tile code
  wire::Cycles now = {};              ///< start of the compute set
  /// The seed of the order in which the vertices and workers of a tile run; 0: the order of the
  /// image.
  std::uint64_t orderSeed = 0;
  const CheckedSet *checks = nullptr; ///< null: accesses are not checked
  VertexStops *stops = nullptr;       ///< may be null
  Arrivals *arrivals = nullptr;       ///< null: all data have arrived
};

} // namespace copse::ipud
