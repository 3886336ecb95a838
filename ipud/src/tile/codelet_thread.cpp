#include "tile/codelet_thread.hpp"

#include "isa/registers.hpp"
#include "processor/f16.hpp"
#include "tile/floating_point_traps.hpp"
#include "tile/native_access.hpp"
#include "tile/native_code_on_tile.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <random>
#include <ucontext.h>
#include <unistd.h>

namespace copse::ipud {
namespace {

// Control and status registers that native code can use (ipud/isa/src/csr.cpp has all).
constexpr unsigned kWorkerStatus = 0x01, kSupervisorControl = 0x02, kFpInitialControl = 0x20;
constexpr unsigned kWeightAddress = 0x50;
constexpr unsigned kCountLow = 0x60, kCountHigh = 0x61; // of workers and of the supervisor
constexpr unsigned kFpStatus = 0x100, kFpClear = 0x101, kFpControl = 0x102, kPrngSeed = 0x107;
// Of numbers of 8 bits: $FP_NFMT and $FP_SCL, and what they are at a launch.
constexpr unsigned kFpFormat = 0x109, kFpScale = 0x10A;
constexpr unsigned kFpInitialFormat = 0x31, kFpInitialScale = 0x33;
constexpr unsigned kPrngFirst = 0x103, kPrngLast = 0x106; // $PRNG_0_0, 0_1, 1_0, 1_1

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

/// Of the real-time signals, one that neither debuggers nor common libraries use.
int interruptSignal() { return SIGRTMIN + 11; }

// Signal handlers are the process's, so what they need is too: the handlers that were there before,
// written once before ours can run, and this thread's own object. Initial-exec: a handler must not
// allocate the variable.
std::array<struct sigaction, 65> previousHandlers;
[[gnu::tls_model("initial-exec")]] thread_local CodeletThread *thisThread = nullptr;

void passOn(int signal, siginfo_t *info, void *context) {
  const auto &previous = previousHandlers[static_cast<std::size_t>(signal)];
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL) {
    // Back in the faulting instruction, the default action follows; one that was sent must be sent
    // again.
    sigaction(signal, &previous, nullptr);
    if (info->si_code <= 0)
      raise(signal);
  } else if (previous.sa_handler != SIG_IGN) {
    previous.sa_handler(signal);
  }
}

void install(int signal, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, &previousHandlers[static_cast<std::size_t>(signal)]);
}

/// Whether a memory fault may be that of a frame for which there was no room.
bool isNearStackPointer(const void *address, const void *context) {
#if defined(__x86_64__)
  constexpr std::uintptr_t kLargestFrame = 64 * 1024;
  const auto *const where = static_cast<const ucontext_t *>(context);
  const auto stack = static_cast<std::uintptr_t>(where->uc_mcontext.gregs[REG_RSP]);
  return reinterpret_cast<std::uintptr_t>(address) - stack + kLargestFrame < 2 * kLargestFrame;
#else
  static_cast<void>(address);
  static_cast<void>(context);
  return false;
#endif
}

void unblockSignals() {
  sigset_t ours;
  sigemptyset(&ours);
  for (const int signal : kFaults)
    sigaddset(&ours, signal);
  sigaddset(&ours, interruptSignal());
  pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
}

/// Leaves a signal handler for good. Whoever called the handler may have blocked signals around it,
/// as thread sanitizer does: the jump must not carry them away blocked.
[[noreturn]] void leaveHandler(sigjmp_buf &target, const void *context) {
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t *>(context)->uc_sigmask, nullptr);
  siglongjmp(target, 1);
}

/// A codelet may overflow the stack that it shares with us: handlers need another one.
std::unique_ptr<std::byte[]> giveSignalStack() {
  stack_t present{};
  sigaltstack(nullptr, &present);
  if ((present.ss_flags & SS_DISABLE) == 0)
    return nullptr;
  const auto bytes = static_cast<std::size_t>(std::max(64L * 1024, sysconf(_SC_SIGSTKSZ)));
  auto stack = std::make_unique<std::byte[]>(bytes);
  stack_t ours{};
  ours.ss_sp = stack.get();
  ours.ss_size = bytes;
  sigaltstack(&ours, nullptr);
  return stack;
}

/// The word of a generator that a register shows.
std::uint32_t wordOf(const fp::Prng &generator, unsigned index) {
  const std::uint64_t state = index - kPrngFirst < 2 ? generator.s0 : generator.s1;
  return static_cast<std::uint32_t>(state >> (32 * ((index - kPrngFirst) % 2)));
}

void setWord(fp::Prng &generator, unsigned index, std::uint32_t value) {
  std::uint64_t &state = index - kPrngFirst < 2 ? generator.s0 : generator.s1;
  const unsigned shift = 32 * ((index - kPrngFirst) % 2);
  state = (state & ~(std::uint64_t{0xFFFFFFFF} << shift)) | std::uint64_t{value} << shift;
}

/// Takes back what trapOn() did, whichever way the codelets are left.
class TrapsOff {
public:
  /// \param perhaps  whether they are needed, if it turns out to be
  TrapsOff(bool needed, const bool &perhaps) : needed_(needed), perhaps_(perhaps) {}
  ~TrapsOff() {
    if (needed_ || perhaps_)
      trapOn(0);
  }
  TrapsOff(const TrapsOff &) = delete;
  TrapsOff &operator=(const TrapsOff &) = delete;

private:
  const bool needed_, &perhaps_;
};

} // namespace

CodeletThread &CodeletThread::current() {
  static std::once_flag installed;
  std::call_once(installed, installHandlers);
  // Not the object itself: a library that a running program opens has little room for such data.
  thread_local const std::unique_ptr<CodeletThread> thread(new CodeletThread);
  return *thread;
}

CodeletThread::CodeletThread() : thread_(pthread_self()), signalStack_(giveSignalStack()) {
  unblockSignals();
  thisThread = this;
}

CodeletThread::~CodeletThread() {
  thisThread = nullptr;
  if (!signalStack_)
    return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

void CodeletThread::installHandlers() {
  for (const int signal : kFaults)
    install(signal, onFault);
  install(interruptSignal(), onInterrupt);
}

void CodeletThread::onFault(int signal, siginfo_t *info, void *context) {
  auto *const thread = thisThread;
  // Raised by the instruction at hand, or by abort() and raise() on this thread; not sent from
  // outside.
  const bool own = info->si_code > 0 || info->si_code == SI_TKILL;
  if (thread == nullptr || !own || !thread->inCodelets_.load(std::memory_order_relaxed))
    return passOn(signal, info, context);
  if (signal == SIGTRAP && thread->endGuardedStep(info, context))
    return;
  if (signal == SIGSEGV) {
    switch (thread->accessGuarded(info, context)) {
    case Guarded::Elsewhere:
      break;
    case Guarded::GoesOn:
      return;
    case Guarded::Error:
      leaveHandler(*thread->jump_.load(std::memory_order_relaxed), context);
    }
  }
  thread->recordFault(CodeletFault::Kind::Signal, signal, info->si_code, info->si_addr);
  thread->fault_.onStack = isNearStackPointer(info->si_addr, context);
  leaveHandler(*thread->jump_.load(std::memory_order_relaxed), context);
}

void CodeletThread::onInterrupt(int signal, siginfo_t *info, void *context) {
  auto *const thread = thisThread;
  if (info->si_code != SI_TKILL)
    return passOn(signal, info, context);
  if (thread == nullptr || !thread->inCodelets_.load(std::memory_order_relaxed) ||
      thread->interruptedEpoch_.load() != thread->epoch_.load(std::memory_order_relaxed))
    return; // late: the compute set is over
  if (auto *const processor = thread->interpreting_.load(std::memory_order_relaxed))
    return processor->interrupt(); // it comes back by itself
  if (thread->heldBack_.load(std::memory_order_relaxed))
    return thread->interruptWaits_.store(true, std::memory_order_relaxed);
  thread->recordFault(CodeletFault::Kind::Interrupted, 0, 0, nullptr);
  leaveHandler(*thread->jump_.load(std::memory_order_relaxed), context);
}

/// Native code has no loads that we could look at, so pages with parity errors cannot be accessed
/// while it runs. What faults there and does not read a word with an error is let through: one
/// instruction, then the page is guarded again. No other thread runs this tile meanwhile.
CodeletThread::Guarded CodeletThread::accessGuarded(siginfo_t *info, void *context) {
#if defined(__x86_64__)
  constexpr greg_t kWrites = 2, kSingleStep = 0x100; // in the page fault's code; in the flags
  const TileMemory &memory = vertices_->memory;
  wire::TileAddress where;
  if (!guarded_ || info->si_code != SEGV_ACCERR || !memory.locate(info->si_addr, where) ||
      where.tile != *guarded_ || !memory.isGuarded(where))
    return Guarded::Elsewhere;
  auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
  const NativeAccess access =
      nativeAccessOf(reinterpret_cast<const std::uint8_t *>(registers[REG_RIP]));
  const bool reads = (registers[REG_ERR] & kWrites) == 0 || !access.onlyStores;
  const auto *const word =
      reads ? memory.errorIn(where.tile, where.address, access.bytes) : nullptr;
  if (word != nullptr) {
    recordFault(CodeletFault::Kind::MemoryError, 0, 0, memory.at(*word));
    return Guarded::Error;
  }
  memory.openPage(where);
  stepsOverGuard_ = true;
  registers[REG_EFL] |= kSingleStep;
  return Guarded::GoesOn;
#else
  static_cast<void>(info);
  static_cast<void>(context);
  return Guarded::Elsewhere;
#endif
}

bool CodeletThread::endGuardedStep(siginfo_t *info, void *context) {
#if defined(__x86_64__)
  if (!stepsOverGuard_ || info->si_code != TRAP_TRACE)
    return false;
  constexpr greg_t kSingleStep = 0x100;
  static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_EFL] &= ~kSingleStep;
  stepsOverGuard_ = false;
  vertices_->memory.guard(*guarded_);
  return true;
#else
  static_cast<void>(info);
  static_cast<void>(context);
  return false;
#endif
}

void CodeletThread::guardTile(std::uint32_t tile) {
  if (guarded_)
    openTile();
  if (vertices_->memory.errorsOf(tile).empty())
    return;
  guarded_ = tile;
  vertices_->memory.guard(tile);
}

void CodeletThread::openTile() {
  stepsOverGuard_ = false;
  if (guarded_)
    vertices_->memory.open(*guarded_);
  guarded_.reset();
}

/// Opens the tile that is guarded last, whichever way the codelets are left.
class CodeletThread::TilesOpen {
public:
  explicit TilesOpen(CodeletThread &thread) : thread_(thread) {}
  ~TilesOpen() { thread_.openTile(); }
  TilesOpen(const TilesOpen &) = delete;
  TilesOpen &operator=(const TilesOpen &) = delete;

private:
  CodeletThread &thread_;
};

/// While this lives, the interpreter looks for the errors of the tile, and nothing is guarded.
class CodeletThread::ErrorsOfTile {
public:
  explicit ErrorsOfTile(CodeletThread &thread) : thread_(thread), guarded_(thread.guarded_) {
    thread_.errors_.clear();
    if (guarded_)
      for (const wire::TileAddress &word : thread_.vertices_->memory.errorsOf(*guarded_))
        thread_.errors_.push_back(word.address);
    thread_.openTile();
    thread_.processor_->setErrors(thread_.errors_);
  }
  ~ErrorsOfTile() {
    if (guarded_)
      thread_.guardTile(*guarded_);
  }
  ErrorsOfTile(const ErrorsOfTile &) = delete;
  ErrorsOfTile &operator=(const ErrorsOfTile &) = delete;

private:
  CodeletThread &thread_;
  const std::optional<std::uint32_t> guarded_;
};

void CodeletThread::recordFault(CodeletFault::Kind kind, int signal, int code,
                                const void *address) {
  inCodelets_.store(false, std::memory_order_relaxed);
  fault_ = {kind,
            signal,
            code,
            address,
            vertex_.load(std::memory_order_relaxed),
            worker_.load(std::memory_order_relaxed)};
  if (started_)
    fault_.started = started_->function;
}

void CodeletThread::interrupt(std::uint64_t epoch) {
  interruptedEpoch_.store(epoch);
  pthread_kill(thread_, interruptSignal());
}

unsigned CodeletThread::tile() { return thisThread->tile_; }

unsigned long CodeletThread::slot() {
  return reinterpret_cast<unsigned long>(thisThread->vertices_->memory.at(thisThread->tile_, 0));
}

/// Vertices are dealt to the workers in order; a MultiVertex runs on all.
std::uint32_t CodeletThread::currentWorker() const {
  if (started_)
    return started_->worker;
  const auto *const vertex = vertex_.load(std::memory_order_relaxed);
  if (vertices_->functions[vertex->function].multiVertex)
    return worker_.load(std::memory_order_relaxed);
  const auto number = static_cast<std::uint32_t>(vertex - vertices_->set.vertices.data());
  return (number - run_->first) % vertices_->memory.geometry().workers;
}

unsigned long long *CodeletThread::generator() {
  auto &thread = *thisThread;
  return reinterpret_cast<unsigned long long *>(
      thread.vertices_->registers.stateOf(thread.tile_, thread.currentWorker()));
}

void CodeletThread::endWith(CodeletFault::Kind kind, int signal, int code, const void *address) {
  recordFault(kind, signal, code, address);
  siglongjmp(*jump_.load(std::memory_order_relaxed), 1);
}

void CodeletThread::endForRegister(unsigned index) {
  endWith(CodeletFault::Kind::NoRegister, 0, static_cast<int>(index), nullptr);
}

/// For floating-point events that stop the program.
void CodeletThread::endForEvents(std::uint32_t events) {
  const int code = (events & fp::kOverflow) != 0       ? FPE_FLTOVF
                   : (events & fp::kDivideByZero) != 0 ? FPE_FLTDIV
                                                       : FPE_FLTINV;
  endWith(CodeletFault::Kind::Signal, SIGFPE, code, nullptr);
}

unsigned CodeletThread::readRegister(unsigned index) {
  auto &thread = *thisThread;
  const std::uint64_t now = thread.vertices_->now.value + thread.assemblyCycles_;
  switch (index) {
  case kWorkerStatus:
    return thread.currentWorker();
  case kCountLow:
    return static_cast<unsigned>(now);
  case kCountHigh:
    return static_cast<unsigned>(now >> 32);
  case kFpControl:
  case kFpInitialControl:
    return thread.floatingPoint_.controlWord();
  case kWeightAddress:
    return thread.matrixOfTile().address;
  case kFpFormat:
  case kFpScale:
  case kFpInitialFormat:
  case kFpInitialScale:
    return thread.readQuarters(index);
  default:
    if (index < kPrngFirst || index > kPrngLast)
      thread.endForRegister(index);
    return wordOf(thread.vertices_->registers.generator(thread.tile_, thread.currentWorker()),
                  index);
  }
}

void CodeletThread::writeRegister(unsigned index, unsigned value) {
  auto &thread = *thisThread;
  const std::uint32_t worker = thread.currentWorker();
  TileRegisters &registers = thread.vertices_->registers;
  switch (index) {
  case kFpStatus: // read-only
  case kFpClear:  // native code has no sticky flags, and clears its accumulators itself
    return;
  case kFpControl:
    thread.controlWritten_ = true;
    return thread.setFloatingPoint(FloatingPoint::of(value));
  case kFpInitialControl:
    return registers.setFloatingPoint(thread.tile_, value);
  case kPrngSeed:
    return registers.seed(thread.tile_, worker, value);
  case kWeightAddress:
    thread.matrixOfTile().address = value & 0xFFFFF;
    return;
  case kFpFormat:
  case kFpScale:
  case kFpInitialFormat:
  case kFpInitialScale:
    return thread.writeQuarters(index, value);
  case kSupervisorControl:
    if ((value & 4) != 0)
      thread.matrixOfTile().weights.clear();
    return;
  default:
    break;
  }
  if (index < kPrngFirst || index > kPrngLast)
    thread.endForRegister(index);
  fp::Prng generator = registers.generator(thread.tile_, worker);
  setWord(generator, index, value);
  registers.setGenerator(thread.tile_, worker, generator);
}

/// \returns what the vertex at hand computes by: the format of weights is the tile's
CodeletThread::Quarters CodeletThread::quartersOn(const Matrix &tile) const {
  return {format_ ? (tile.format & 1) | *format_ : tile.format, scale_.value_or(tile.scale)};
}

unsigned CodeletThread::readQuarters(unsigned index) {
  if (vertices_->matrixUnits->chip().architecture != isa::Architecture::Ipu21)
    endForRegister(index);
  switch (index) {
  case kFpFormat:
    return quartersOn(matrixOfTile()).format;
  case kFpScale:
    return quartersOn(matrixOfTile()).scale;
  case kFpInitialFormat:
    return matrixOfTile().format;
  default:
    return matrixOfTile().scale;
  }
}

void CodeletThread::writeQuarters(unsigned index, unsigned value) {
  if (vertices_->matrixUnits->chip().architecture != isa::Architecture::Ipu21)
    endForRegister(index);
  constexpr unsigned kFormats = 3, kFormatOfInputs = 2, kScale = 63;
  switch (index) {
  case kFpFormat:
    format_ = value & kFormatOfInputs;
    break;
  case kFpScale:
    scale_ = value & kScale;
    break;
  case kFpInitialFormat:
    matrixOfTile().format = value & kFormats;
    return;
  default:
    matrixOfTile().scale = value & kScale;
    return;
  }
  controlWritten_ = true;
}

/// How the vertex at hand computes from now on. Modules that round halves by themselves do so to
/// nearest, so from the first time that it matters all ask for it.
void CodeletThread::setFloatingPoint(const FloatingPoint &behaviour) {
  TileRegisters &registers = vertices_->registers;
  floatingPoint_ = behaviour;
  if (!registers.canStop())
    floatingPoint_.stops = 0;
  if (vertices_->modules != nullptr)
    vertices_->modules->roundByCall();
  if (registers.canStop())
    trapOn(floatingPoint_.stops);
}

/// Each launch of a worker begins with $FP_ICTL.
void CodeletThread::restoreFloatingPoint() {
  controlWritten_ = false;
  format_.reset();
  scale_.reset();
  const TileRegisters &registers = vertices_->registers;
  floatingPoint_ = registers.mayRoundHalves() ? registers.floatingPoint(tile_) : FloatingPoint{};
  if (registers.canStop())
    trapOn(floatingPoint_.stops);
}

/// While this lives, an interrupt() of codelets waits: we may hold a lock of malloc.
class CodeletThread::HeldBack {
public:
  explicit HeldBack(CodeletThread &thread) : thread_(thread) { thread_.heldBack_ = true; }
  ~HeldBack() {
    thread_.heldBack_ = false;
    if (thread_.interruptWaits_.exchange(false))
      thread_.endWith(CodeletFault::Kind::Interrupted, 0, 0, nullptr);
  }
  HeldBack(const HeldBack &) = delete;
  HeldBack &operator=(const HeldBack &) = delete;

private:
  CodeletThread &thread_;
};

CodeletThread::Matrix CodeletThread::matrixOfTile() {
  if (vertices_->code != nullptr && vertices_->code->tiles[tile_] != nullptr) {
    TileContexts &tile = *vertices_->code->tiles[tile_];
    return {tile.weights, tile.weightAddress, tile.initialFormat, tile.initialScale};
  }
  const HeldBack untilItIsThere(*this);
  MatrixUnits::Unit &unit = vertices_->matrixUnits->of(tile_);
  return {unit.weights, unit.weightAddress, unit.initialFormat, unit.initialScale};
}

void CodeletThread::loadWeights(unsigned index, unsigned groups) {
  auto &thread = *thisThread;
  const Matrix matrix = thread.matrixOfTile();
  const TileMemory &memory = thread.vertices_->memory;
  const Chip &chip = thread.vertices_->matrixUnits->chip();
  const std::uint32_t bytes = 8 * groups, from = matrix.address;
  const bool isThere =
      index + groups <= 8 * chip.accumulatorSets * Weights::kGroups && index % groups == 0;
  const bool isAllowed = from % bytes == 0 && memory.populated(thread.tile_, from, bytes) &&
                         (groups == 1 || from >= chip.interleaved);
  if (!isThere)
    thread.endWith(CodeletFault::Kind::NoInstruction, 0, static_cast<int>(index), nullptr);
  if (!isAllowed)
    thread.endWith(CodeletFault::Kind::Signal, SIGBUS, 0, memory.at(thread.tile_, from));
  for (unsigned i = 0; i < groups; ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, memory.at(thread.tile_, from + 8 * i), sizeof bits);
    matrix.weights.set(index + i, bits);
  }
  matrix.address = (from + bytes) & 0xFFFFF;
}

/// What a worker's context holds beside the registers of instructions.
void CodeletThread::fillState(const wire::MatrixWords &accumulators, const Matrix &tile,
                              WorkerState &state) {
  std::copy_n(accumulators.working, 16, state.accumulators.working.begin());
  std::copy_n(accumulators.delayed, 16, state.accumulators.delayed.begin());
  state.tas = accumulators.tas;
  state.fpStatus = 0;
  state.fpControl = floatingPoint_.controlWord();
  const Quarters quarters = quartersOn(tile);
  state.fpFormat = quarters.format;
  state.fpScale = quarters.scale;
  state.prng = vertices_->registers.generator(tile_, currentWorker());
}

void CodeletThread::matrix(unsigned word, void *words) {
  auto &thread = *thisThread;
  auto &io = *static_cast<wire::MatrixWords *>(words);
  const Chip &chip = thread.vertices_->matrixUnits->chip();
  const isa::Instruction instruction = isa::decode(word, chip.architecture);
  if (!isMatrixInstruction(instruction.opcode))
    thread.endWith(CodeletFault::Kind::NoInstruction, 0, static_cast<int>(word), nullptr);
  TileRegisters &registers = thread.vertices_->registers;
  const std::uint32_t worker = thread.currentWorker();
  Core &core = thread.native_;
  core.chip = &chip;
  const Matrix tile = thread.matrixOfTile();
  core.weights = &tile.weights;
  thread.fillState(io, tile, core);
  std::copy_n(io.x, 2, &core.registers.a(2));
  std::copy_n(io.partials, 2, &core.registers.a(4));
  if (thread.floatingPoint_.stops != 0)
    trapOn(0); // its own arithmetic may do what it likes
  const bool good = executeMatrix(core, instruction);
  if (thread.floatingPoint_.stochastic)
    registers.setGenerator(thread.tile_, worker, core.prng);
  if (!good)
    thread.endForEvents(core.fpStatus & thread.floatingPoint_.stops);
  if (thread.floatingPoint_.stops != 0)
    trapOn(thread.floatingPoint_.stops);
  std::copy_n(core.accumulators.working.begin(), 16, io.working);
  std::copy_n(core.accumulators.delayed.begin(), 16, io.delayed);
  io.tas = core.tas;
  std::copy_n(&core.registers.a(0), 2, io.result);
}

/// The reverse, for what instructions may have changed.
void CodeletThread::takeState(const WorkerState &state, const Matrix &tile,
                              wire::MatrixWords &accumulators) {
  std::copy_n(state.accumulators.working.begin(), 16, accumulators.working);
  std::copy_n(state.accumulators.delayed.begin(), 16, accumulators.delayed);
  accumulators.tas = state.tas;
  vertices_->registers.setGenerator(tile_, currentWorker(), state.prng);
  if (state.fpControl != floatingPoint_.controlWord())
    writeRegister(kFpControl, state.fpControl);
  const Quarters before = quartersOn(tile);
  if (state.fpFormat != before.format)
    writeRegister(kFpFormat, state.fpFormat);
  if (state.fpScale != before.scale)
    writeRegister(kFpScale, state.fpScale);
}

/// Runs what stands at \p entry of \p page on the worker at hand, which blockState() is.
TileProcessor::Result CodeletThread::interpretBlock(const CodePage &page, std::uint32_t entry,
                                                    const Matrix &tile) {
  const ErrorsOfTile errors(*this);
  // From here on an interrupt() ends the interpreter: jumping out of it would leave it half done.
  interpreting_.store(&*processor_);
  auto result = processor_->runBlock(
      page, entry, {vertices_->memory.at(tile_, 0), &tile.weights, nullptr, currentWorker()},
      vertices_->now.value + assemblyCycles_);
  assemblyCycles_ += result.cycles;
  interpreting_.store(nullptr);
  return result;
}

std::unique_ptr<TileFault> CodeletThread::runAssembly(const wire::AssemblyBlock &block,
                                                      std::byte *values,
                                                      wire::MatrixWords &accumulators) {
  const NativeAssembly assembly(block);
  std::byte *const memory = vertices_->memory.at(tile_, 0);
  const auto slot = reinterpret_cast<std::uintptr_t>(memory);
  WorkerState &state = processor_->blockState();
  state.registers = {};
  const Matrix tile = matrixOfTile();
  fillState(accumulators, tile, state);
  state.registers.m(isa::kVertexBase) = vertex_.load(std::memory_order_relaxed)->address;
  if (const auto foreign = assembly.load(values, slot, state.registers))
    endForAssembly(CodeletFault::Kind::AssemblyPointer, block, reinterpret_cast<void *>(*foreign));
  auto result = interpretBlock(vertices_->modules->assembly().pageOf(&block),
                               wire::kAssemblyAddress, tile);
  if (result.fault)
    result.fault->place = assembly.place();
  if (!result.fault) {
    takeState(state, tile, accumulators);
    assembly.store(state.registers, slot, values);
  }
  return std::move(result.fault);
}

void CodeletThread::endForAssembly(CodeletFault::Kind kind, const wire::AssemblyBlock &block,
                                   const void *address) {
  recordFault(kind, 0, 0, address);
  fault_.assembly = &block;
  siglongjmp(*jump_.load(std::memory_order_relaxed), 1);
}

void CodeletThread::assembly(const wire::AssemblyBlock *block, void *values, void *accumulators) {
  auto &thread = *thisThread;
  if (block->isSupervisor != 0)
    thread.endForAssembly(CodeletFault::Kind::SupervisorAssembly, *block, nullptr);
  if (thread.floatingPoint_.stops != 0)
    trapOn(0); // the interpreter's own arithmetic may do what it likes
  auto fault = thread.runAssembly(*block, static_cast<std::byte *>(values),
                                  *static_cast<wire::MatrixWords *>(accumulators));
  thread.endForTile(std::move(fault));
  if (thread.floatingPoint_.stops != 0)
    trapOn(thread.floatingPoint_.stops);
}

/// Ends the vertex if there is a fault.
void CodeletThread::endForTile(std::unique_ptr<TileFault> fault) {
  if (!fault)
    return;
  recordFault(processor_->isInterrupted() ? CodeletFault::Kind::Interrupted
                                          : CodeletFault::Kind::TileException,
              0, 0, nullptr);
  fault_.worker = fault->context;
  fault_.tile = std::move(fault);
  siglongjmp(*jump_.load(std::memory_order_relaxed), 1);
}

std::unique_ptr<TileFault> CodeletThread::runFunction(const char *symbol, wire::TileCall &call) {
  const DecodedAssembly::Function *const function =
      vertices_->modules->assembly().functionOf(symbol);
  if (function == nullptr) {
    auto fault = std::make_unique<TileFault>();
    fault->type = isa::Exception::InvalidPc;
    fault->place = symbol;
    return fault;
  }
  WorkerState &state = processor_->blockState();
  state.registers = {};
  const Matrix tile = matrixOfTile();
  wire::MatrixWords accumulators{};
  fillState(accumulators, tile, state);
  const auto slot = reinterpret_cast<std::uintptr_t>(vertices_->memory.at(tile_, 0));
  if (const auto foreign = loadArguments(call, slot, state.registers)) {
    recordFault(CodeletFault::Kind::AssemblyPointer, 0, 0, reinterpret_cast<void *>(*foreign));
    fault_.tileFunction = symbol;
    siglongjmp(*jump_.load(std::memory_order_relaxed), 1);
  }
  state.registers.m(isa::kVertexBase) = vertex_.load(std::memory_order_relaxed)->address;
  state.registers.m(isa::kLinkRegister) = function->page->end();
  auto result = interpretBlock(*function->page, function->entry, tile);
  if (result.fault) {
    result.fault->place = symbol;
  } else {
    takeState(state, tile, accumulators);
    storeResult(state.registers, call);
  }
  return std::move(result.fault);
}

void CodeletThread::tileFunction(const char *symbol, wire::TileCall *call) {
  auto &thread = *thisThread;
  if (thread.floatingPoint_.stops != 0)
    trapOn(0); // the interpreter's own arithmetic may do what it likes
  thread.endForTile(thread.runFunction(symbol, *call));
  if (thread.floatingPoint_.stops != 0)
    trapOn(thread.floatingPoint_.stops);
}

unsigned short CodeletThread::roundToHalf(float x) {
  auto &thread = *thisThread;
  const FloatingPoint &behaviour = thread.floatingPoint_;
  fp::RandomBits noise;
  if (behaviour.stochastic)
    noise = thread.vertices_->registers.random(thread.tile_, thread.currentWorker());
  std::uint32_t events = 0;
  const auto half = fp::round16(
      fp::asBits(x), 0, {behaviour.nanOnOverflow, behaviour.stochastic ? &noise : nullptr}, events);
  events &= behaviour.stops;
  if (events != 0)
    thread.endForEvents(events);
  return half;
}

void CodeletThread::enterTile(const Vertices &vertices, const wire::TileVertices &run) {
  tile_ = run.tile;
  run_ = &run;
  if (guarded_)
    openTile();
  if (vertices.registers.mayRoundHalves()) {
    floatingPoint_ = vertices.registers.floatingPoint(run.tile);
    if (vertices.registers.mayStop())
      trapOn(floatingPoint_.stops);
  }
  if (vertices.memory.hasErrors()) [[unlikely]]
    guardTile(run.tile);
}

bool CodeletThread::call(const Vertices &vertices, std::uint32_t first, std::uint32_t last,
                         std::uint64_t epoch, bool &result) {
  epoch_.store(epoch, std::memory_order_relaxed);
  vertices_ = &vertices;
  floatingPoint_ = {};
  controlWritten_ = false;
  format_.reset();
  scale_.reset();
  interruptWaits_ = false;
  started_.reset();
  const TrapsOff afterwards(vertices.registers.mayStop(), controlWritten_);
  const TilesOpen open(*this);
  assemblyCycles_ = 0;
  if (vertices.code != nullptr)
    processor_.emplace(vertices.code->cache, vertices.code->workerLimit);
  else if (vertices.modules != nullptr && !vertices.modules->assembly().empty())
    processor_.emplace(vertices.modules->assembly().cache());
  sigjmp_buf here;
  if (sigsetjmp(here, 0) != 0)
    return false;
  jump_.store(&here, std::memory_order_relaxed);
  inCodelets_.store(true, std::memory_order_relaxed);
  try {
    result = callTiles(vertices, first, last);
  } catch (const std::shared_ptr<const TileFault> &fault) {
    recordFault(processor_->isInterrupted() ? CodeletFault::Kind::Interrupted
                                            : CodeletFault::Kind::TileException,
                0, 0, nullptr);
    fault_.worker = fault->context;
    fault_.tile = fault;
    return false;
  } catch (const LeftNativeCode &) {
    return false; // recordFault() has said why
  } catch (...) {
    recordFault(CodeletFault::Kind::Exception, 0, 0, nullptr);
    return false;
  }
  inCodelets_.store(false, std::memory_order_relaxed);
  return true;
}

[[gnu::noinline]] bool CodeletThread::callTiles(const Vertices &vertices, std::uint32_t first,
                                                std::uint32_t last) {
  const EntryPoint *const functions = vertices.functions.data();
  const std::uint32_t workers = vertices.memory.geometry().workers;
  bool all = true;
  for (std::uint32_t t = first; t < last; ++t) {
    const auto &run = vertices.set.tiles[t];
    enterTile(vertices, run);
    if (vertices.orderSeed != 0) {
      all &= callShuffled(vertices, run);
      continue;
    }
    std::byte *const slot = vertices.memory.at(run.tile, 0);
    const auto *vertex = vertices.set.vertices.data() + run.first;
    const auto *const firstOfTile = vertex;
    const auto *const end = vertex + run.count;
    for (; vertex != end; ++vertex) {
      const EntryPoint function = functions[vertex->function];
      vertex_.store(vertex, std::memory_order_relaxed);
      if (wire::isTileCode(function.kind)) {
        // Vertices are dealt to the workers in order; a MultiVertex has all of them.
        const auto index = static_cast<std::uint32_t>(vertex - firstOfTile);
        all &= interpret(vertices, run.first + index, function.multiVertex ? 0 : index % kWorkers,
                         function.multiVertex ? kWorkers : 1);
        continue;
      }
      if (!function.multiVertex) {
        all &= function.entry(slot + vertex->address, 0);
        leaveVertex();
        continue;
      }
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        worker_.store(worker, std::memory_order_relaxed);
        all &= function.entry(slot + vertex->address, worker);
        leaveVertex();
      }
    }
  }
  return all;
}

/// Into calls_: all of the tile's vertices, a MultiVertex once for each worker.
void CodeletThread::listCalls(const Vertices &vertices, const wire::TileVertices &run) {
  const std::uint32_t workers = vertices.memory.geometry().workers;
  calls_.clear();
  for (std::uint32_t index = 0; index < run.count; ++index) {
    const std::uint32_t number = run.first + index;
    const EntryPoint &function = vertices.functions[vertices.set.vertices[number].function];
    if (!function.multiVertex)
      calls_.push_back({number, index % workers});
    for (std::uint32_t worker = 0; function.multiVertex && worker < workers; ++worker)
      calls_.push_back({number, worker});
  }
}

bool CodeletThread::callShuffled(const Vertices &vertices, const wire::TileVertices &run) {
  listCalls(vertices, run);
  std::mt19937_64 random(vertices.orderSeed + run.tile);
  for (std::size_t left = calls_.size(); left > 1; --left)
    std::swap(calls_[left - 1], calls_[random() % left]);
  bool all = true;
  for (const WorkerCall call : calls_) {
    const wire::VertexRecord &vertex = vertices.set.vertices[call.vertex];
    const EntryPoint &function = vertices.functions[vertex.function];
    vertex_.store(&vertex, std::memory_order_relaxed);
    worker_.store(call.worker, std::memory_order_relaxed);
    all &= function.kind == wire::CodeKind::Native
               ? function.entry(vertices.memory.at(run.tile, vertex.address),
                                function.multiVertex ? call.worker : 0)
               : interpret(vertices, call.vertex, call.worker, 1);
    leaveVertex();
  }
  return all;
}

namespace {

/// While this lives, the registers that programs set and native code uses are those of the contexts
/// of tile code.
class RegistersOfTileCode {
public:
  RegistersOfTileCode(TileRegisters &registers, std::uint32_t tile, TileContexts &contexts)
      : registers_(registers), tile_(tile), contexts_(contexts),
        control_(registers.floatingPoint(tile).controlWord()) {
    contexts_.initialControl = control_;
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      contexts_.workers[worker].prng = registers_.generator(tile_, worker);
  }
  ~RegistersOfTileCode() {
    if (contexts_.initialControl != control_)
      registers_.setFloatingPoint(tile_, contexts_.initialControl);
    for (std::uint32_t worker = 0; worker < workers(); ++worker)
      registers_.setGenerator(tile_, worker, contexts_.workers[worker].prng);
  }
  RegistersOfTileCode(const RegistersOfTileCode &) = delete;
  RegistersOfTileCode &operator=(const RegistersOfTileCode &) = delete;

private:
  std::uint32_t workers() const { return std::min(kWorkers, registers_.workers()); }

  TileRegisters &registers_;
  const std::uint32_t tile_;
  TileContexts &contexts_;
  const std::uint32_t control_; ///< before
};

} // namespace

bool CodeletThread::interpret(const Vertices &vertices, std::uint32_t number,
                              std::uint32_t firstWorker, std::uint32_t workers) {
  const wire::VertexRecord &vertex = vertices.set.vertices[number];
  const EntryPoint function = vertices.functions[vertex.function];
  TileContexts &tile = *vertices.code->tiles[tile_];
  std::byte *const memory = vertices.memory.at(tile_, 0);
  std::uint64_t cycles = 0;
  bool all = true;
  VertexTrace *const trace =
      vertices.trace != nullptr && vertices.trace->wants(tile_) ? vertices.trace : nullptr;
  processor_->setTrace(trace);
  if (trace != nullptr)
    trace->enter(tile_, vertex);
  const ErrorsOfTile errors(*this);
  const bool traps = vertices.registers.mayStop();
  if (traps)
    trapOn(0); // the interpreter's own arithmetic may do what it likes
  const RegistersOfTileCode registers(vertices.registers, tile_, tile);
  NativeCodeOnTile native(*this, vertex);
  processor_->setNativeCode(&native);
  std::optional<Interpreting> interpreting(std::in_place, *this);
  const auto run = [&](auto start) {
    TileProcessor::Result result = start();
    if (result.fault)
      throw std::shared_ptr<const TileFault>(std::move(result.fault));
    cycles = std::max(cycles, result.cycles);
    all = all && result.status;
  };
  if (function.kind == wire::CodeKind::Supervisor) {
    run([&] {
      return processor_->runSupervisor(tile, memory, tile_, function.address, vertex.address,
                                       vertices.code->supervisorStack);
    });
  } else {
    // Workers run in step on the chip, and libraries rely on that: their first worker, which comes to
    // the end of its code after the others, gathers what these have stored. So it is the last here.
    for (std::uint32_t worker = firstWorker + workers; worker-- > firstWorker;)
      run([&] {
        return processor_->runWorker(tile, memory, worker, function.address, vertex.address);
      });
  }
  interpreting.reset();
  if (traps)
    trapOn(floatingPoint_.stops);
  if (trace != nullptr)
    trace->leave(cycles);
  if (!vertices.cycles.empty())
    vertices.cycles[number] = std::max(vertices.cycles[number], cycles);
  return all;
}

} // namespace copse::ipud
