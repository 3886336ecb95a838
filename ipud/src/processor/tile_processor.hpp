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
inline constexpr unsigned kSupervisor = kWorkers; ///< as number of a context

/// Why a context stopped, and what it looked like.
struct TileFault {
  isa::Exception type = isa::Exception::None; ///< None: it did not end within its limit
  unsigned context = 0;                       ///< a worker, or kSupervisor
  std::uint32_t pc = 0;
  std::uint32_t address = 0; ///< of the memory access, where the exception is about one
  bool inRepeat = false;
  std::string place;                    ///< in the source, if that is inline assembly
  std::array<std::uint32_t, 2> words{}; ///< the instruction, or bundle
  std::array<std::uint32_t, 16> m{};
  std::array<std::uint32_t, 8> a{};
};

/// How long the supervisor takes, in tile cycles. The vendor publishes none of these; they are
/// deduced from the libraries' code.
struct SupervisorTiming {
  std::uint32_t result = 6; ///< until an instruction may use a result
  std::uint32_t jump = 6;   ///< of a taken branch, a call, and a launch
};

/// What a tile keeps from one vertex to the next, beside its memory.
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

/// Sees every instruction, or bundle, before it is executed.
class TraceSink {
public:
  virtual ~TraceSink() = default;
  /// \param core  its pc, cycles and registers are those before the instruction
  virtual void issue(const Core &core, unsigned context) = 0;
};

/// Runs vertices made of tile instructions. One for each thread that runs tiles.
///
/// Thread: its own; but interrupt() from any, and from signal handlers.
class TileProcessor {
public:
  struct Result {
    std::uint64_t cycles = 0;         ///< of the tile
    bool status = true;               ///< AND of what the workers returned
    std::unique_ptr<TileFault> fault; ///< null: none
    std::uint64_t issues = 0;         ///< worker cycles
  };
  static constexpr std::int64_t kDefaultLimit = std::int64_t{1} << 33;

  /// \param limit  longest run of one worker [worker cycles]
  explicit TileProcessor(CodeCache &cache, std::int64_t limit = kDefaultLimit)
      : cache_(cache), limit_(limit) {}

  /// One worker from its launch to its exit.
  /// \param memory  of address 0 of the tile
  Result runWorker(TileContexts &tile, std::byte *memory, unsigned worker, std::uint32_t entry,
                   std::uint32_t vertexBase, std::uint64_t launched = 0);

  struct Launch {
    std::uint32_t entry = 0;
    std::uint32_t vertexBase = 0;
    std::uint32_t stride = 0; ///< from the vertex base of a worker to that of the next
    std::uint64_t time = 0;   ///< tile cycles
  };
  using Results = std::array<Result, kWorkers>;
  /// Workers [first, last) from their launch to their exits. They take turns, as libraries rely on
  /// workers of the chip to run in step: one clears data that another adds to soon after.
  /// \returns what became of each; that of the first fault alone, if there is one
  Results runWorkers(TileContexts &tile, std::byte *memory, unsigned first, unsigned last,
                     const Launch &launch);

  /// What a worker sees of its tile.
  struct Surroundings {
    std::byte *memory = nullptr; ///< of address 0
    Weights *weights = nullptr;
    std::uint32_t *debugData = nullptr; ///< may be null
    unsigned worker = 0;
  };
  /// Instructions that are in no tile's memory, from \p entry until behind the last, or until they
  /// exit. Their data may lie where those of tile code may not. The worker is as blockState() has it,
  /// before and after.
  Result runBlock(const CodePage &block, std::uint32_t entry, const Surroundings &where,
                  std::uint64_t launched);
  WorkerState &blockState() { return block_; }

  /// A function of the supervisor, which may launch workers, until it returns.
  /// \param stack  its stack pointer
  Result runSupervisor(TileContexts &tile, std::byte *memory, std::uint32_t tileId,
                       std::uint32_t entry, std::uint32_t vertexBase, std::uint32_t stack);

  /// Makes what runs now end soon, and what is run later, as if it had reached its limit.
  void interrupt() {
    interrupted_.store(true, std::memory_order_relaxed);
    for (Core &worker : workers_)
      worker.limit.store(Core::kNow, std::memory_order_relaxed);
    block_.limit.store(Core::kNow, std::memory_order_relaxed);
  }
  bool isInterrupted() const { return interrupted_.load(std::memory_order_relaxed); }

  void setTrace(TraceSink *sink) { trace_ = sink; }

  /// Null: the addresses of native code are no addresses of code.
  void setNativeCode(NativeCode *native) { native_ = native; }

  /// Addresses of words of the tile whose parity is wrong, ascending; they must live on. A context
  /// that loads or fetches one ends with MemoryError.
  void setErrors(std::span<const std::uint32_t> words) {
    for (Core &worker : workers_)
      worker.errors = words;
    supervisor_.errors = block_.errors = words;
  }

  /// Null: nobody looks. What is executed is then checked access by access, and takes longer.
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
  StepCache single_; ///< what step() executes
};

} // namespace copse::ipud
