#pragma once

#include "processor/executor.hpp"
#include "processor/native_code.hpp"
#include "processor/step_cache.hpp"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace copse::ipud {

inline constexpr unsigned kWorkers = 6;
inline constexpr unsigned kSupervisor = kWorkers; ///< context number of the supervisor

/// The reason why a context stopped, and its state.
struct TileFault {
  isa::Exception type = isa::Exception::None; ///< None: it did not end within its limit
  unsigned context = 0;                       ///< a worker, or kSupervisor
  std::uint32_t pc = 0;
  std::uint32_t address = 0; ///< address of the faulting memory access, if there is one
  bool inRepeat = false;
  std::string place;                    ///< source location, for inline assembly
  std::array<std::uint32_t, 2> words{}; ///< the instruction, or bundle
  std::array<std::uint32_t, 16> m{};
  std::array<std::uint32_t, 8> a{};
};

/// The timing of the supervisor in tile cycles. The vendor does not publish these numbers; they are
/// deduced from the code of its libraries.
struct SupervisorTiming {
  std::uint32_t result = 6; ///< until an instruction may use a result
  std::uint32_t jump = 6;   ///< for a taken branch, a call, and a launch
};

/// The state of a tile, besides its memory, that persists between vertices.
struct TileContexts {
  std::array<WorkerState, kWorkers> workers;
  std::array<std::uint32_t, kWorkers> workerBase{}; ///< $WORKERn_BASE
  Weights weights;
  TilePages code;
  std::uint32_t initialControl = 0;                  ///< $FP_ICTL
  std::uint32_t initialFormat = 0, initialScale = 0; ///< $FP_INFMT, $FP_ISCL
  std::uint32_t weightAddress = 0;                   ///< $CCCSLOAD
  std::uint32_t debugData = 0;                       ///< $DBG_DATA
};

/// Observes every instruction or bundle before it is executed.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  /// \param core  has the pc, cycles and registers before the instruction
  virtual void issue(const Core &core, unsigned context) = 0;
};

/// Runs vertices made of tile instructions. Each thread that runs tiles has its own.
///
/// Thread: its own, but any thread or signal handler may call interrupt().
class TileProcessor {
public:
  struct Result {
    std::uint64_t cycles = 0;         ///< tile cycles
    bool status = true;               ///< AND of the workers' results
    std::unique_ptr<TileFault> fault; ///< null if there was none
    std::uint64_t issues = 0;         ///< worker cycles
  };
  static constexpr std::int64_t kDefaultLimit = std::int64_t{1} << 33;

  /// \param limit  longest run of one worker [worker cycles]
  explicit TileProcessor(CodeCache &cache, std::int64_t limit = kDefaultLimit)
      : cache_(cache), limit_(limit) {}

  /// Runs one worker from its launch to its exit.
  /// \param memory  address 0 of the tile
  Result runWorker(TileContexts &tile, std::byte *memory, unsigned worker, std::uint32_t entry,
                   std::uint32_t vertexBase, std::uint64_t launched = 0);

  struct Launch {
    std::uint32_t entry = 0;
    std::uint32_t vertexBase = 0;
    std::uint32_t stride = 0; ///< difference of the vertex bases of consecutive workers
    std::uint64_t time = 0;   ///< tile cycles
  };
  using Results = std::array<Result, kWorkers>;
  /// Runs workers [first, last) from their launches to their exits. The workers take turns, because
  /// libraries rely on the chip's workers running in step: one clears data to which another adds
  /// soon afterwards.
  /// \returns the result of each worker; after a fault, only the faulting worker's
  Results runWorkers(TileContexts &tile, std::byte *memory, unsigned first, unsigned last,
                     const Launch &launch);

  /// The parts of a tile that a worker uses.
  struct Surroundings {
    std::byte *memory = nullptr; ///< memory at address 0
    Weights *weights = nullptr;
    std::uint32_t *debugData = nullptr; ///< may be null
    unsigned worker = 0;
  };
  /// Runs instructions that are in no tile's memory from \p entry to the end of the block, or until
  /// they exit. Their data may be at addresses where data of tile code may not. blockState() is the
  /// worker's state before and after.
  Result runBlock(const CodePage &block, std::uint32_t entry, const Surroundings &where,
                  std::uint64_t launched);
  WorkerState &blockState() { return block_; }

  /// Runs a supervisor function, which may launch workers, until it returns.
  /// \param stack  the initial stack pointer
  Result runSupervisor(TileContexts &tile, std::byte *memory, std::uint32_t tileId,
                       std::uint32_t entry, std::uint32_t vertexBase, std::uint32_t stack);

  /// Makes current and later runs end soon, as if they had reached their limit.
  void interrupt() {
    interrupted_.store(true, std::memory_order_relaxed);
    for (Core &worker : workers_)
      worker.limit.store(Core::kNow, std::memory_order_relaxed);
    block_.limit.store(Core::kNow, std::memory_order_relaxed);
  }
  bool isInterrupted() const { return interrupted_.load(std::memory_order_relaxed); }

  void setTrace(TraceSink *sink) { trace_ = sink; }

  /// Sets the native functions of the program. Null: their addresses are not code.
  void setNativeCode(NativeCode *native) { native_ = native; }

  /// Sets the words of the tile with parity errors, in ascending order. The list must stay valid. A
  /// context that loads or fetches one of them ends with MemoryError.
  void setErrors(std::span<const std::uint32_t> words) {
    for (Core &worker : workers_)
      worker.errors = words;
    supervisor_.errors = block_.errors = words;
  }

  /// Sets the observer of accesses, or null. With an observer every access is checked separately,
  /// which is slower.
  void setObserver(AccessObserver *observer) {
    for (Core &worker : workers_)
      worker.observer = observer;
    supervisor_.observer = block_.observer = observer;
  }

private:
  friend class Supervisor;
  /// \param tile  null for a block, which calls no native code
  Stop run(Core &core, Fetcher &fetcher, TileContexts *tile);
  const MicroOp *nextStep(Core &core, Fetcher &fetcher) const;
  Stop runNative(Core &core, TileContexts *tile);
  void begin(Core &core, const Surroundings &where);
  void launch(TileContexts &tile, std::byte *memory, unsigned worker, const Launch &launch);
  void setTurn(Core &core, std::int64_t end) const;
  Result resultOf(const Core &core, Stop stop) const;
  Stop step(Core &core, Fetcher &fetcher);
  Stop executeStep(Core &core, Fetcher &fetcher, const CodePage &page);
  void openWindow(Core &core, const Fetcher &fetcher) const;
  std::unique_ptr<TileFault> faultOf(const Core &core, unsigned context) const;

  CodeCache &cache_;
  const std::int64_t limit_;
  TraceSink *trace_ = nullptr;
  NativeCode *native_ = nullptr;
  std::atomic<bool> interrupted_{false};
  std::array<Core, kWorkers> workers_;
  Core supervisor_, block_;
  StepCache single_; ///< used by step()
};

} // namespace copse::ipud
