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

/// How one function of an image is called.
struct EntryPoint {
  wire::CodeletEntry entry = nullptr; ///< of a native one
  bool multiVertex = false;
  wire::CodeKind kind = wire::CodeKind::Native;
  std::uint32_t address = 0; ///< CodeletFunction::entry
};

/// The tiles of an IPU that has code of tile instructions.
struct TileCodeState {
  /// \param entries  of native code; chip.nativeEnd is their end
  TileCodeState(const Chip &chip, std::vector<CodeRange> ranges, NativeEntries entries,
                Translation translation)
      : cache(chip, std::move(ranges), translation), natives(std::move(entries)) {}

  CodeCache cache;
  NativeEntries natives;
  std::vector<std::unique_ptr<TileContexts>> tiles; ///< shape [tiles]; null: has no vertices
  std::uint32_t supervisorStack = 0;
  std::int64_t workerLimit = TileProcessor::kDefaultLimit; ///< [worker cycles]
};

/// What a thread needs to call the vertices of a compute set.
struct Vertices {
  const TileMemory &memory;
  std::span<const EntryPoint> functions; ///< shape [Image::functions]
  const wire::ComputeSet &set;
  RegisterWords &registers;
  TileCodeState *code = nullptr;        ///< null: all functions are native
  std::span<std::uint64_t> cycles = {}; ///< gets what each vertex took [tile cycles], if that
                                        ///< is more than what stands there; native ones
                                        ///< leave it. Shape [set.vertices], or empty
  VertexTrace *trace = nullptr;         ///< null: nobody looks
  const Modules *modules = nullptr;     ///< of the native functions
  MatrixUnits *matrixUnits = nullptr;   ///< of tiles without tile code
  wire::Cycles now = {};                ///< when the compute set starts
  /// Not 0: decides the order in which the vertices and workers of a tile run.
  std::uint64_t orderSeed = 0;
  const CheckedSet *checks = nullptr; ///< null: accesses are not checked
  VertexStops *stops = nullptr;       ///< null: nobody waits for vertices
  Arrivals *arrivals = nullptr;       ///< null: all data are there already
};

} // namespace copse::ipud
