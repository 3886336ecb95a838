#pragma once

#include "processor/tile_processor.hpp"
#include "tile/modules.hpp"
#include "tile/native_entries.hpp"
#include "tile/native_matrix.hpp"
#include "tile/tile_memory.hpp"
#include "tile/tile_registers.hpp"
#include "tile/vertex_trace.hpp"

#include "wire/codelet_abi.hpp"
#include "wire/image.hpp"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <memory>
#include <optional>
#include <pthread.h>
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
  TileCodeState(const Chip &chip, std::vector<CodeRange> ranges, NativeEntries entries)
      : cache(chip, std::move(ranges)), natives(std::move(entries)) {}

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
  TileRegisters &registers;
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
};

/// Why a thread left a codelet before it returned.
struct CodeletFault {
  enum class Kind : std::uint8_t {
    Signal,
    Exception,
    Interrupted,
    TileException,
    NoRegister,
    NoInstruction,
    MemoryError,
    SupervisorAssembly,
    AssemblyPointer
  };
  Kind kind = Kind::Signal;
  int signal = 0; ///< of Kind::Signal
  /// Of that signal: tells the reasons of SIGFPE apart. The number of NoRegister, the word of
  /// NoInstruction.
  int code = 0;
  const void *address = nullptr; ///< that a memory fault was about; of a MemoryError, the word
  const wire::VertexRecord *vertex = nullptr;
  std::uint32_t worker = 0; ///< of a MultiVertex, or of `started`
  /// The native function that failed, where the vertex is tile code that started or called it:
  /// index of Vertices::functions.
  std::optional<std::uint32_t> started = std::nullopt;
  std::shared_ptr<const TileFault> tile = nullptr; ///< of Kind::TileException
  bool onStack = false;                            ///< `address` is where the thread's stack ends
  const wire::AssemblyBlock *assembly = nullptr;   ///< that ended it
  const char *tileFunction = nullptr; ///< the same, of a function of tile code: its symbol
};

/// The calling thread as one that runs codelets. A fault of a codelet (SIGSEGV, SIGBUS, SIGFPE,
/// SIGILL, SIGTRAP, SIGABRT) or an interrupt() jumps back into call(), which returns it. The
/// handlers are installed once per process; a signal that is not a codelet's goes to whoever
/// handled it before.
///
/// What the codelet held at that moment (a lock of malloc, say) stays held: codelets own nothing
/// but tile memory.
///
/// Thread: current() and call() by the thread itself, interrupt() by any.
class CodeletThread {
public:
  /// Of the calling thread; made at first use, lives as long as the thread.
  static CodeletThread &current();
  ~CodeletThread();
  CodeletThread(const CodeletThread &) = delete;
  CodeletThread &operator=(const CodeletThread &) = delete;

  /// Calls the vertices of tiles [first, last) of the compute set, in order.
  /// \param epoch   names this compute set to interrupt()
  /// \param result  gets the AND of what the vertices returned
  /// \returns whether all vertices returned; if not, fault() says what happened
  bool call(const Vertices &vertices, std::uint32_t first, std::uint32_t last, std::uint64_t epoch,
            bool &result);
  const CodeletFault &fault() const { return fault_; }

  // What codelets ask for (wire/codelet_abi.hpp), by the thread that runs them.
  static unsigned tile();
  static unsigned long slot();
  static unsigned short roundToHalf(float x);
  static unsigned long long *generator();
  static unsigned readRegister(unsigned index);
  static void writeRegister(unsigned index, unsigned value);
  static void matrix(unsigned word, void *words);
  static void loadWeights(unsigned index, unsigned groups);
  static void assembly(const wire::AssemblyBlock *block, void *values, void *accumulators);
  static void tileFunction(const char *symbol, wire::TileCall *call);

  /// Makes call() return if it runs the compute set of that epoch.
  void interrupt(std::uint64_t epoch);

private:
  CodeletThread();
  /// A vertex on one of its workers.
  struct WorkerCall {
    std::uint32_t vertex; ///< in Vertices::set
    std::uint32_t worker;
  };
  bool callTiles(const Vertices &vertices, std::uint32_t first, std::uint32_t last);
  bool callShuffled(const Vertices &vertices, const wire::TileVertices &run);
  void listCalls(const Vertices &vertices, const wire::TileVertices &run);
  bool interpret(const Vertices &vertices, std::uint32_t number, std::uint32_t firstWorker,
                 std::uint32_t workers);
  static void onFault(int signal, siginfo_t *info, void *context);
  /// What becomes of a fault in a page that is guarded for its parity errors.
  enum class Guarded : std::uint8_t { Elsewhere, GoesOn, Error };
  Guarded accessGuarded(siginfo_t *info, void *context);
  bool endGuardedStep(siginfo_t *info, void *context);
  void guardTile(std::uint32_t tile);
  void openTile();
  bool callOffInterpreter(const EntryPoint &function, void *state, std::uint32_t worker,
                          bool &status);
  class NativeCodeOnTile;
  class Interpreting;
  class TilesOpen;
  class ErrorsOfTile;
  static void onInterrupt(int signal, siginfo_t *info, void *context);
  static void installHandlers();
  std::uint32_t currentWorker() const;
  void enterTile(const Vertices &vertices, const wire::TileVertices &run);
  void recordFault(CodeletFault::Kind kind, int signal, int code, const void *address);
  [[noreturn]] void endForRegister(unsigned index);
  [[noreturn]] void endWith(CodeletFault::Kind kind, int signal, int code, const void *address);
  [[noreturn]] void endForEvents(std::uint32_t events);
  [[noreturn]] void endForAssembly(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                                   const void *address);
  void setFloatingPoint(const FloatingPoint &behaviour);
  void leaveVertex() {
    assemblyCycles_ = 0;
    if (controlWritten_) [[unlikely]]
      restoreFloatingPoint();
  }
  void restoreFloatingPoint();
  struct Matrix {
    Weights &weights;
    std::uint32_t &address;        ///< $CCCSLOAD
    std::uint32_t &format, &scale; ///< $FP_INFMT, $FP_ISCL
  };
  class HeldBack;
  Matrix matrixOfTile();
  void fillState(const wire::MatrixWords &accumulators, const Matrix &tile, WorkerState &state);
  void takeState(const WorkerState &state, const Matrix &tile, wire::MatrixWords &accumulators);
  struct Quarters {
    std::uint32_t format, scale; ///< $FP_NFMT, $FP_SCL
  };
  Quarters quartersOn(const Matrix &tile) const;
  std::unique_ptr<TileFault> runAssembly(const wire::AssemblyBlock &block, std::byte *values,
                                         wire::MatrixWords &accumulators);
  std::unique_ptr<TileFault> runFunction(const char *symbol, wire::TileCall &call);
  TileProcessor::Result interpretBlock(const CodePage &page, std::uint32_t entry,
                                       const Matrix &tile);
  void endForTile(std::unique_ptr<TileFault> fault);
  unsigned readQuarters(unsigned index);
  void writeQuarters(unsigned index, unsigned value);

  pthread_t thread_;
  std::unique_ptr<std::byte[]> signalStack_; ///< null if the thread had one
  std::atomic<sigjmp_buf *> jump_{nullptr};  ///< where whoever leaves a codelet goes on
  CodeletFault fault_;
  // Of the tile at hand.
  std::uint32_t tile_ = 0;
  const Vertices *vertices_ = nullptr;
  const wire::TileVertices *run_ = nullptr;
  FloatingPoint floatingPoint_;
  /// Native code that tile code has started or called, while it runs.
  struct Started {
    std::uint32_t function, worker;
  };
  std::optional<Started> started_;
  bool controlWritten_ = false; ///< by the vertex at hand: $FP_CTL or one of the next is its own
  std::optional<std::uint32_t> format_, scale_; ///< $FP_NFMT and $FP_SCL, if it wrote them
  std::uint64_t assemblyCycles_ = 0;            ///< of the vertex at hand [tile cycles]
  Core native_;                                 ///< for the matrix instructions of native code
  /// While native code must not be left: what interrupt() asked for then waits.
  std::atomic<bool> heldBack_{false}, interruptWaits_{false};
  std::optional<std::uint32_t> guarded_; ///< tile whose pages with parity errors are
  bool stepsOverGuard_ = false;          ///< by one instruction, with a page of it open
  std::vector<std::uint32_t> errors_;    ///< addresses of the tile that is interpreted
  std::vector<WorkerCall> calls_;        ///< of callShuffled(), which a fault may leave at any time
  // Written by the thread, read by its signal handlers.
  std::atomic<bool> inCodelets_{false};
  std::atomic<std::uint64_t> epoch_{0};
  std::atomic<const wire::VertexRecord *> vertex_{nullptr};
  std::atomic<std::uint32_t> worker_{0};
  std::optional<TileProcessor> processor_; ///< for the vertices of one call()
  /// While tile instructions run: interrupt() must not jump out of the interpreter.
  std::atomic<TileProcessor *> interpreting_{nullptr};
  // Written by interrupt().
  std::atomic<std::uint64_t> interruptedEpoch_{0};
};

} // namespace copse::ipud
