#include "processor/tile_processor.hpp"

#include "isa/control_flow.hpp"
#include "isa/registers.hpp"
#include "processor/code_words.hpp"
#include "processor/float_vectors.hpp"
#include "processor/slots.hpp"
#include "processor/supervisor.hpp"

#include <algorithm>
#include <utility>

namespace copse::ipud {
namespace {

using isa::Exception;

constexpr std::uint32_t kTrapMask = 7;

/// The shortest turn of a worker before the others take theirs [worker cycles].
constexpr std::int64_t kTurn = 16, kTurnInStep = 1;

/// Returns the instruction or bundle at an executable address.
IssueWords wordsAt(const Core &core, std::uint32_t address) {
  IssueWords result{{wordAt(core, address)}, 1};
  if ((result.words[0] & isa::kBundleBit) != 0 && isCode(core, address + 4))
    result.words[result.count++] = wordAt(core, address + 4);
  return result;
}

/// Returns true if all instructions of a block have been executed.
bool isBehindBlock(const Core &core) {
  return core.block != nullptr && core.pc == core.block->end() && core.repeatCount == 0;
}

/// Returns true if \p issue may be in a repeat, which has only bundles, without certain
/// instructions.
bool isGoodInRepeat(const Core &core, const IssueWords &issue) {
  return issue.count == 2 && std::ranges::none_of(issue.words, [&](std::uint32_t word) {
           const auto i = isa::decode(word & ~isa::kBundleBit, core.chip->architecture);
           return isa::isForbiddenInRepeat(i.opcode);
         });
}

/// Undoes a bundle that a floating-point event stopped. Only the flags, the random number state and
/// stores remain.
void restore(Core &core, const WorkerState &before) {
  WorkerState state = before;
  state.fpStatus = core.fpStatus;
  state.prng = core.prng;
  static_cast<WorkerState &>(core) = state;
}

} // namespace

void TileProcessor::openWindow(Core &core, const Fetcher &fetcher) const {
  const bool isDecoded = core.block != nullptr || cache_.pageOf(core.pc) != cache_.pages();
  if (isDecoded && core.errors.empty() && core.observer == nullptr)
    fetcher.openWindow(core);
  else
    std::fill(std::begin(core.windowLimit), std::end(core.windowLimit), 0); // check every access
}

Stop TileProcessor::executeStep(Core &core, Fetcher &fetcher, const CodePage &page) {
  core.page = &page;
  core.stepping = true;
  const Stop stop = execute(core, &page.steps[page.start[0]], fetcher);
  core.stepping = false;
  return stop;
}

Stop TileProcessor::step(Core &core, Fetcher &fetcher) {
  const std::uint32_t pc = core.pc;
  const bool inBody = core.repeatCount != 0;
  if (!isCode(core, pc)) {
    core.raise(Exception::InvalidPc);
    return Stop::Faulted;
  }
  const IssueWords words = wordsAt(core, pc);
  if (const auto *const bad =
          core.block != nullptr ? nullptr : errorIn(core, {pc, 4 * words.count})) {
    core.raiseAt(Exception::MemoryError, *bad);
    return Stop::Faulted;
  }
  if (inBody && core.context == isa::Context::Worker && !isGoodInRepeat(core, words)) {
    core.raise(Exception::InvalidInstruction);
    return Stop::Faulted;
  }
  openWindow(core, fetcher);
  const std::uint32_t next = pc + 4 * words.count;
  const WorkerState before = core;
  const CodePage &page = single_.decoded(pc, words, *core.chip, core.context);
  const Stop stop = executeStep(core, fetcher, page);
  if (stop == Stop::Faulted && core.fault == Exception::FloatingPoint) {
    if (core.isImprecise)
      core.pc = next;
    else
      restore(core, before);
  }
  if (stop != Stop::Stepped && stop != Stop::ToStep)
    return stop;
  if (inBody && core.pc == core.repeatEnd) {
    if (--core.repeatCount != 0)
      core.pc = core.repeatFirst;
  } else if (core.pc != next && core.pc % 8 != 0 && isCode(core, core.pc) &&
             (wordAt(core, core.pc) & isa::kBundleBit) != 0) {
    ++core.cycles; // a jump to a bundle in the upper half of 64 bits
  }
  return Stop::Stepped;
}

/// \returns Stepped after a function has returned
Stop TileProcessor::runNative(Core &core, TileContexts *tile) {
  if (native_ == nullptr || tile == nullptr) {
    core.raise(Exception::InvalidPc);
    return Stop::Faulted;
  }
  const fp::KeepsDenormals mode;
  if (!native_->run(core, *tile))
    return Stop::Faulted;
  return core.exited ? Stop::Exited : Stop::Stepped;
}

/// \returns null in the cases of Fetcher::enter()
const MicroOp *TileProcessor::nextStep(Core &core, Fetcher &fetcher) const {
  const MicroOp *const resume = std::exchange(core.resume, nullptr);
  if (resume == nullptr || core.page->inStep != fetcher.keepsInStep()) {
    openWindow(core, fetcher);
    return fetcher.enter(core, core.pc, false);
  }
  core.cycles -= core.page->issues[resume->at];
  return resume;
}

Stop TileProcessor::run(Core &core, Fetcher &fetcher, TileContexts *tile) {
  while (true) {
    if (core.stopsAt(core.turnEnd, core.cycles))
      return Stop::Limit;
    if (isBehindBlock(core))
      return Stop::Exited;
    if (isNativeEntry(*core.chip, core.pc)) {
      const Stop stop = runNative(core, tile);
      if (stop != Stop::Stepped)
        return stop;
      continue;
    }
    const bool inSteps =
        core.resume == nullptr && (trace_ != nullptr || core.repeatCount != 0 ||
                                   (core.fpControl & kTrapMask) != 0 || !core.errors.empty());
    Stop stop = Stop::ToStep;
    if (!inSteps) {
      const MicroOp *const first = nextStep(core, fetcher);
      if (first != nullptr)
        stop = execute(core, first, fetcher);
      else if (core.fault != Exception::None)
        return Stop::Faulted;
      if (stop == Stop::ToStep && isBehindBlock(core))
        return Stop::Exited;
    }
    const bool stepNow = inSteps || (stop == Stop::ToStep && core.repeatCount == 0 &&
                                     (core.fpControl & kTrapMask) == 0);
    if (stop == Stop::ToStep && stepNow && !isNativeEntry(*core.chip, core.pc)) {
      if (trace_ != nullptr)
        trace_->issue(core, core.number);
      stop = step(core, fetcher);
    }
    if (stop == Stop::Exited || stop == Stop::Faulted || stop == Stop::Limit)
      return stop;
  }
}

std::unique_ptr<TileFault> TileProcessor::faultOf(const Core &core, unsigned context) const {
  auto fault = std::make_unique<TileFault>();
  fault->type = core.fault;
  fault->context = context;
  fault->pc = core.pc;
  fault->address = core.faultAddress;
  fault->inRepeat = core.repeatCount != 0;
  if (isCode(core, core.pc))
    std::ranges::copy(wordsAt(core, core.pc).all(), fault->words.begin());
  std::copy_n(&core.registers.all[RegisterFiles::kMain], fault->m.size(), fault->m.begin());
  std::copy_n(&core.registers.all[0], fault->a.size(), fault->a.begin());
  return fault;
}

TileProcessor::Result TileProcessor::runWorker(TileContexts &tile, std::byte *memory,
                                               unsigned worker, std::uint32_t entry,
                                               std::uint32_t vertexBase, std::uint64_t launched) {
  return std::move(
      runWorkers(tile, memory, worker, worker + 1, {entry, vertexBase, 0, launched})[worker]);
}

TileProcessor::Results TileProcessor::runWorkers(TileContexts &tile, std::byte *memory,
                                                 unsigned first, unsigned last,
                                                 const Launch &launched) {
  const fp::FlushesDenormals mode; // set once for all turns
  for (unsigned worker = first; worker < last; ++worker)
    launch(tile, memory, worker, launched);
  Results results;
  Fetcher fetcher(cache_, tile.code);
  unsigned running = (1U << last) - (1U << first);
  // Workers that wait for a short-lived flag of another worker must not overtake each other.
  const auto keepsInStep = [&] {
    if (!fetcher.keepsInStep() && last - first > 1 && fetcher.foundWaitingLoop())
      fetcher.keepInStep();
    return fetcher.keepsInStep();
  };
  fetcher.find(workers_[first], launched.entry);
  for (std::int64_t turn = 0; running != 0;) {
    turn += keepsInStep() ? kTurnInStep : kTurn;
    // The first worker runs last, because it gathers what the others have stored.
    for (unsigned worker = last; worker-- > first;) {
      Core &core = workers_[worker];
      if ((running >> worker & 1) == 0)
        continue;
      const bool isAlone = running == 1U << worker;
      setTurn(core, isAlone ? core.end : std::min(turn, core.end));
      const Stop stop = run(core, fetcher, &tile);
      if (stop == Stop::Limit && !core.stopsAt(core.end, core.cycles))
        continue;
      running &= ~(1U << worker);
      tile.workers[worker] = core;
      results[worker] = resultOf(core, stop);
      if (results[worker].fault != nullptr)
        return results;
    }
  }
  return results;
}

void TileProcessor::launch(TileContexts &tile, std::byte *memory, unsigned worker,
                           const Launch &launch) {
  Core &core = workers_[worker];
  static_cast<WorkerState &>(core) = tile.workers[worker];
  core.block = nullptr;
  core.checksPlaces = true;
  core.launched = launch.time;
  core.pc = launch.entry;
  core.fpStatus = 0;
  core.fpControl = tile.initialControl;
  core.fpFormat = tile.initialFormat;
  core.fpScale = tile.initialScale;
  begin(core, {memory, &tile.weights, &tile.debugData, worker});
  core.registers.m(isa::kWorkerBase) = tile.workerBase[worker];
  core.registers.m(isa::kVertexBase) = launch.vertexBase + worker * launch.stride;
}

TileProcessor::Result TileProcessor::runBlock(const CodePage &block, std::uint32_t entry,
                                              const Surroundings &where, std::uint64_t launched) {
  // Separate, because a worker of tile code may be in the middle of a call.
  Core &core = block_;
  core.block = &block;
  core.checksPlaces = false;
  core.launched = launched;
  core.pc = entry;
  begin(core, where);
  TilePages none;
  Fetcher fetcher(cache_, none);
  const fp::FlushesDenormals mode;
  Stop stop = run(core, fetcher, nullptr);
  // Only a vertex may exit.
  if (core.exited) {
    core.raise(Exception::InvalidInstruction);
    stop = Stop::Faulted;
  }
  return resultOf(core, stop);
}

void TileProcessor::begin(Core &core, const Surroundings &where) {
  core.chip = &cache_.chip();
  core.memory = where.memory;
  core.weights = where.weights;
  core.debugData = where.debugData;
  core.number = where.worker;
  core.cycles = 0;
  core.returnAddress = 0;
  core.repeatCount = 0;
  core.resume = nullptr;
  core.turnsLeft = 0;
  core.loopPause = 0;
  core.fault = Exception::None;
  core.isImprecise = core.exited = false;
  core.status = true;
  core.end = limit_;
  setTurn(core, limit_);
}

/// Sets the end of the turn, without losing a concurrent interrupt.
void TileProcessor::setTurn(Core &core, std::int64_t end) const {
  core.turnEnd = end;
  core.limit.store(end - Core::kMostIssues, std::memory_order_relaxed);
  if (interrupted_.load(std::memory_order_relaxed))
    core.limit.store(Core::kNow, std::memory_order_relaxed);
}

TileProcessor::Result TileProcessor::resultOf(const Core &core, Stop stop) const {
  Result result;
  result.issues = static_cast<std::uint64_t>(core.cycles);
  result.cycles = kSlots * result.issues;
  result.status = core.status;
  if (stop != Stop::Exited)
    result.fault = faultOf(core, core.number);
  return result;
}

TileProcessor::Result TileProcessor::runSupervisor(TileContexts &tile, std::byte *memory,
                                                   std::uint32_t tileId, std::uint32_t entry,
                                                   std::uint32_t vertexBase, std::uint32_t stack) {
  return Supervisor(*this, tile, memory, tileId).run(entry, vertexBase, stack);
}

} // namespace copse::ipud
