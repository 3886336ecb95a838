#pragma once

#include "clock/timing_model.hpp"

#include "ipud/debug_options.hpp"
#include "ipud/environment.hpp"
#include "ipud/memory_errors.hpp"
#include "ipud/run_progress.hpp"
#include "ipud/tile_trace_options.hpp"
#include "wire/image.hpp"
#include "wire/result.hpp"
#include "wire/step_times.hpp"
#include "wire/vertex_cycles.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <vector>

namespace copse::ipud {

struct IpuOptions {
  unsigned threads = 1; ///< that run compute sets, the caller's included
  std::chrono::milliseconds vertexTimeout{300'000}; ///< longest run of one compute set [wall-clock]
  TileTraceOptions trace = {};                      ///< of tile instructions
  /// Hot loops of tile instructions become code of the host. False: all are interpreted.
  bool translatesTileCode = true;
  /// Where files of findings are made: the accesses of programs that were compiled for it are
  /// checked (wire::CheckTables). Empty: nothing is checked.
  std::filesystem::path checkDirectory = {};
  DebugOptions debug = {}; ///< where the IPU stops for a debugger
  /// Not 0: the vertices and workers of a tile run one after another in an order that this number
  /// decides, another one in every run of a compute set. 0: in the order of the image.
  std::uint64_t workerSeed = 0;
  /// Of the chip; they take effect at the next step. Null: it never has any.
  std::shared_ptr<const MemoryErrors> memoryErrors = {};
  /// Is told how far runs are. Null: nobody asks.
  std::shared_ptr<RunProgress> progress = {};
};

/// What one run of a program came to on one IPU.
struct IpuRun {
  wire::Cycles start, end; ///< modelled clock before and after
  std::uint64_t steps = 0; ///< control-program steps executed
  std::uint64_t vertices = 0;
  wire::StepTimes times; ///< empty unless run() was to keep them
};

/// One IPU: tile memory, workers, and the interpreter of its control program. Life: construct,
/// load() an image, then run(), readView() and writeView() in any order; load() again for another
/// image.
///
/// A codelet that faults (a bad address, a trap, an integer division by zero) or never returns ends
/// run() with Code::VertexFault, which names IPU, tile, compute set and codelet; the Ipu can be
/// loaded again afterwards. Whoever reads a word with a parity error, be it a codelet, an exchange
/// or the host, gets Code::MemoryError, which names IPU, tile and address.
///
/// Thread: one thread at a time.
class Ipu {
public:
  Ipu(clock::TimingModel timing, IpuOptions options);
  ~Ipu();

  /// Checks the image (bad ones are refused whole: Code::InvalidImage), maps fresh zeroed tile
  /// memory, opens the modules, writes initial data, and sets the modelled clock to 0.
  wire::Status load(wire::Image image, PlaceInPartition placement, const ModuleSource &modules);

  /// Runs programs[program] to its end. The modelled clock goes on from where it stands, or from
  /// \p notBefore, if that is later.
  /// \param timed  whether to keep when each step ran
  wire::Result<IpuRun> run(std::uint32_t program, Environment &environment,
                           wire::Cycles notBefore = {}, bool timed = false);

  /// Packs the regions of hostViews[view].
  wire::Result<fabric::Payload> readView(std::uint32_t view) const;
  /// Unpacks \p bytes into the regions of hostViews[view].
  wire::Status writeView(std::uint32_t view, std::span<const std::byte> bytes);

  /// Returns the cycles of vertices when they ran last, since load().
  wire::MeasuredCycles measuredCycles() const;

  wire::Cycles now() const;
  const wire::Image &image() const; ///< only when loaded
  /// The other IPUs with which the loaded program exchanges, each once.
  std::vector<wire::IpuId> peers() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::ipud
