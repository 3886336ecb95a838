#pragma once

#include "clock/host_clock.hpp"
#include "control/loaded.hpp"
#include "control/step_observer.hpp"
#include "exchange/link_exchange.hpp"
#include "tile/dispatcher.hpp"
#include "tile/watchdog.hpp"

#include "ipud/environment.hpp"
#include "ipud/run_progress.hpp"
#include "wire/step_walk.hpp"

#include <cstdint>
#include <optional>

namespace copse::ipud {

/// Executes the steps of one run of a control program, in the order of wire::StepWalk, and advances
/// the modelled clock by the cost of each step.
///
/// Life: construct with the state of the IPU, which must outlive it; call run() once. Thread: the
/// run thread. Errors: the first failed step ends the run, and its status names the step.
class Interpreter : private wire::StepVisitor {
public:
  struct Parts {
    const Loaded &loaded;
    TileMemory &memory;
    RegisterWords &registers;
    Dispatcher &dispatcher;
    const Watchdog &watchdog;
    const clock::TimingModel &timing;
    clock::HostClock &hostClock;
    LinkExchange &links;
    Environment &environment;
    RunProgress &progress;
    std::uint64_t workerSeed = 0;         ///< IpuOptions::workerSeed
    const MemoryErrors *errors = nullptr; ///< parity errors of the chip; may be null
    const Modules *modules = nullptr;
    MatrixUnits *matrixUnits = nullptr;
    StepObserver *observer = nullptr; ///< may be null
  };
  Interpreter(const Parts &parts, wire::Cycles now)
      : parts_(parts), image_(parts.loaded.image), now_(now) {}

  /// Runs the steps of \p range until the end or the first failure. Call once per interpreter.
  wire::Status run(const wire::StepRange &range);

  wire::Cycles now() const { return now_; }
  std::uint64_t steps() const { return steps_; }
  std::uint64_t vertices() const { return vertices_; }

private:
  friend class wire::StepWalk<Interpreter>;
  bool isDone() const { return !status_.ok(); }
  void enter(std::uint32_t at);
  std::uint32_t work(std::uint32_t at, std::uint32_t end);
  std::optional<std::uint32_t> predicate(std::uint32_t at);
  void beginLoop(std::uint32_t turns);
  void beginTurn(std::uint64_t turn);
  void endLoop() { --loops_; }

  wire::Status runStep(std::uint32_t at);
  bool goesByTile(std::uint32_t at, std::uint32_t end) const;
  wire::Status runByTile(std::uint32_t at);
  /// \param arrivals  rows of the preceding exchange, which overlaps; null: it is complete
  wire::Status runComputeSet(std::uint32_t index, Arrivals *arrivals = nullptr);
  void noteTime(std::uint32_t computeSet);
  std::uint64_t orderSeed() const;
  wire::Status runExchange(std::uint32_t at);
  wire::Status runSync(std::uint32_t at);
  wire::Status runHostExchange(std::uint32_t index);
  wire::Status runTransfer(std::uint32_t exchange, std::uint32_t transfer);
  wire::Status runRemoteCopy(std::uint32_t index);
  wire::Status runPrint(std::uint32_t index);
  wire::Status runAbort(std::uint32_t at);
  void readClock(const wire::Step &step);
  void allTrue(const wire::Step &step);

  std::uint32_t predicateOf(const wire::Step &step) const;
  wire::Status checkStop() const;
  void takeNewErrors();
  wire::Status checkErrorsOf(std::uint32_t at) const;
  /// Adds the location of a waiting step to \p status.
  wire::Status located(std::uint32_t at, wire::Status status) const;
  wire::Status describeFault(const wire::ComputeSet &set, const CodeletFault &fault) const;
  Environment::Part partOf(const wire::HostView &view) const;
  wire::Status unpackInto(const wire::HostView &view, std::span<const std::byte> bytes,
                          const char *what) const;

  Parts parts_;
  const wire::Image &image_;
  wire::Cycles now_;
  wire::Status status_;               ///< status of the run; a failure ends it
  std::vector<std::uint64_t> cycles_; ///< cycles of the current compute set's vertices, if measured
  std::uint64_t steps_ = 0, vertices_ = 0;
  unsigned loops_ = 0;                    ///< number of nested loops around the current step
  std::uint64_t errorsSeen_ = UINT64_MAX; ///< last seen MemoryErrors::version()
};

} // namespace copse::ipud
