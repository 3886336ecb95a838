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

/// How an IPU executes programs: its threads, limits, traces and checks, and the parity errors of
/// its memory.
struct IpuOptions {
  unsigned threads = 1; ///< number of threads that run compute sets, including the caller
  std::chrono::milliseconds vertexTimeout{300'000}; ///< longest run of one compute set [wall-clock]
  TileTraceOptions trace = {};                      ///< tracing of tile instructions
  /// True: hot loops of tile instructions are translated to host code. False: all are interpreted.
  bool translatesTileCode = true;
  /// The directory for findings. If set, memory accesses are checked in programs that were compiled
  /// for it (wire::CheckTables); if empty, nothing is checked.
  std::filesystem::path checkDirectory = {};
  DebugOptions debug = {}; ///< when the IPU stops for a debugger
  /// If nonzero, the vertices and workers of a tile run one after another, in an order that depends
  /// on this seed and changes with every run of a compute set. If 0, in the order of the image.
  std::uint64_t workerSeed = 0;
  /// The parity errors of the chip. Errors take effect at the next step. Null: the chip never has
  /// any.
  std::shared_ptr<const MemoryErrors> memoryErrors = {};
  /// Receives the progress of runs; null: progress is not recorded.
  std::shared_ptr<RunProgress> progress = {};
};

/// The result of one run of a program on one IPU.
struct IpuRun {
  wire::Cycles start, end; ///< modelled clock before and after the run
  std::uint64_t steps = 0; ///< control-program steps executed
  std::uint64_t vertices = 0;
  wire::StepTimes times; ///< empty unless run() was timed
};

/// Emulates one IPU: tile memory, workers, and the interpreter of its control program.
///
/// Life: construct, load() an image, then call run(), readView() and writeView() in any order.
/// Another load() replaces the image.
///
/// Errors: if a codelet faults (a bad address, a trap, an integer division by zero) or never
/// returns, run() fails with Code::VertexFault, which names IPU, tile, compute set and codelet. The
/// Ipu can be loaded again afterwards. A read of a word with a parity error, by a codelet, an
/// exchange or the host, fails with Code::MemoryError, which names IPU, tile and address.
///
/// Thread: one thread at a time.
class Ipu {
public:
  Ipu(clock::TimingModel timing, IpuOptions options);
  ~Ipu();

  /// Checks the image, maps zeroed tile memory, opens the modules, writes the initial data, and
  /// sets the modelled clock to 0. An invalid image is refused as a whole, with Code::InvalidImage.
  wire::Status load(wire::Image image, PlaceInPartition placement, const ModuleSource &modules);

  /// Runs programs[program] to its end. The modelled clock continues from its current time, or from
  /// \p notBefore if that is later.
  /// \param timed  true: record when each step ran
  wire::Result<IpuRun> run(std::uint32_t program, Environment &environment,
                           wire::Cycles notBefore = {}, bool timed = false);

  /// Returns the packed regions of hostViews[view].
  wire::Result<fabric::Payload> readView(std::uint32_t view) const;
  /// Unpacks \p bytes into the regions of hostViews[view].
  wire::Status writeView(std::uint32_t view, std::span<const std::byte> bytes);

  /// Returns the cycles of each vertex in its last run since load(), for vertices whose cycles only
  /// a run can tell.
  wire::MeasuredCycles measuredCycles() const;

  wire::Cycles now() const;
  /// Returns the loaded image; there must be one.
  const wire::Image &image() const;
  /// Returns the other IPUs with which the loaded program exchanges data, each once.
  std::vector<wire::IpuId> peers() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace copse::ipud
