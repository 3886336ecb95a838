#include "tile/codelet_thread.hpp"

#include "isa/f16.hpp"

#include <algorithm>
#include <array>
#include <cfenv>
#include <mutex>
#include <ucontext.h>
#include <unistd.h>

namespace copse::ipud {
namespace {

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

/// Lets the processor raise SIGFPE for events of fp::kInvalid and the others, and for no other.
void trapOn(std::uint32_t events) {
  std::feclearexcept(FE_ALL_EXCEPT);
  fedisableexcept(FE_ALL_EXCEPT);
  feenableexcept(((events & fp::kInvalid) != 0 ? FE_INVALID : 0) |
                 ((events & fp::kDivideByZero) != 0 ? FE_DIVBYZERO : 0) |
                 ((events & fp::kOverflow) != 0 ? FE_OVERFLOW : 0));
}

/// Takes back what trapOn() did, whichever way the codelets are left.
class TrapsOff {
public:
  explicit TrapsOff(bool needed) : needed_(needed) {}
  ~TrapsOff() {
    if (needed_)
      trapOn(0);
  }
  TrapsOff(const TrapsOff &) = delete;
  TrapsOff &operator=(const TrapsOff &) = delete;

private:
  const bool needed_;
};

} // namespace

CodeletThread &CodeletThread::current() {
  static std::once_flag installed;
  std::call_once(installed, installHandlers);
  thread_local CodeletThread thread;
  return thread;
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
  thread->recordFault(CodeletFault::Kind::Signal, signal, info->si_code, info->si_addr);
  leaveHandler(thread->jump_, context);
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
  thread->recordFault(CodeletFault::Kind::Interrupted, 0, 0, nullptr);
  leaveHandler(thread->jump_, context);
}

void CodeletThread::recordFault(CodeletFault::Kind kind, int signal, int code,
                                const void *address) {
  inCodelets_.store(false, std::memory_order_relaxed);
  fault_ = {kind,
            signal,
            code,
            address,
            vertex_.load(std::memory_order_relaxed),
            worker_.load(std::memory_order_relaxed)};
}

void CodeletThread::interrupt(std::uint64_t epoch) {
  interruptedEpoch_.store(epoch);
  pthread_kill(thread_, interruptSignal());
}

unsigned CodeletThread::tile() { return thisThread->tile_; }

/// Vertices are dealt to the workers in order; a MultiVertex runs on all.
std::uint32_t CodeletThread::currentWorker() const {
  const auto *const vertex = vertex_.load(std::memory_order_relaxed);
  if (vertices_->functions[vertex->function].multiVertex)
    return worker_.load(std::memory_order_relaxed);
  const auto number = static_cast<std::uint32_t>(vertex - vertices_->set.vertices.data());
  return (number - run_->first) % vertices_->memory.geometry().workers;
}

void CodeletThread::random(unsigned long long *bits) {
  auto &thread = *thisThread;
  const auto drawn = thread.vertices_->registers.random(thread.tile_, thread.currentWorker());
  bits[0] = drawn.r0;
  bits[1] = drawn.r1;
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
  if (events != 0) {
    const int code = (events & fp::kOverflow) != 0 ? FPE_FLTOVF : FPE_FLTINV;
    thread.recordFault(CodeletFault::Kind::Signal, SIGFPE, code, nullptr);
    siglongjmp(thread.jump_, 1);
  }
  return half;
}

void CodeletThread::enterTile(const Vertices &vertices, const wire::TileVertices &run) {
  tile_ = run.tile;
  run_ = &run;
  if (!vertices.registers.mayRoundHalves())
    return;
  floatingPoint_ = vertices.registers.floatingPoint(run.tile);
  if (vertices.registers.mayStop())
    trapOn(floatingPoint_.stops);
}

bool CodeletThread::call(const Vertices &vertices, std::uint32_t first, std::uint32_t last,
                         std::uint64_t epoch, bool &result) {
  epoch_.store(epoch, std::memory_order_relaxed);
  vertices_ = &vertices;
  floatingPoint_ = {};
  const TrapsOff afterwards(vertices.registers.mayStop());
  if (vertices.code != nullptr)
    processor_.emplace(vertices.code->cache, vertices.code->workerLimit);
  if (sigsetjmp(jump_, 0) != 0)
    return false;
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
    std::byte *const slot = vertices.memory.at(run.tile, 0);
    const auto *vertex = vertices.set.vertices.data() + run.first;
    const auto *const firstOfTile = vertex;
    const auto *const end = vertex + run.count;
    for (; vertex != end; ++vertex) {
      const EntryPoint function = functions[vertex->function];
      vertex_.store(vertex, std::memory_order_relaxed);
      if (function.kind != wire::CodeKind::Native) {
        all &=
            interpret(vertices, static_cast<std::uint32_t>(vertex - vertices.set.vertices.data()),
                      static_cast<std::uint32_t>(vertex - firstOfTile));
        continue;
      }
      if (!function.multiVertex) {
        all &= function.entry(slot + vertex->address, 0);
        continue;
      }
      for (std::uint32_t worker = 0; worker < workers; ++worker) {
        worker_.store(worker, std::memory_order_relaxed);
        all &= function.entry(slot + vertex->address, worker);
      }
    }
  }
  return all;
}

bool CodeletThread::interpret(const Vertices &vertices, std::uint32_t number,
                              std::uint32_t indexOnTile) {
  const wire::VertexRecord &vertex = vertices.set.vertices[number];
  const EntryPoint function = vertices.functions[vertex.function];
  TileContexts &tile = *vertices.code->tiles[tile_];
  std::byte *const memory = vertices.memory.at(tile_, 0);
  std::uint64_t cycles = 0;
  bool all = true;
  const bool traps = vertices.registers.mayStop();
  if (traps)
    trapOn(0); // the interpreter's own arithmetic may do what it likes
  // From here on an interrupt() ends the interpreter: jumping out of it would leave it half done.
  interpreting_.store(&*processor_);
  const auto run = [&](auto start) {
    TileProcessor::Result result = start();
    if (result.fault) {
      interpreting_.store(nullptr);
      throw std::shared_ptr<const TileFault>(std::move(result.fault));
    }
    cycles = std::max(cycles, result.cycles);
    all = all && result.status;
  };
  if (function.kind == wire::CodeKind::Supervisor) {
    run([&] {
      return processor_->runSupervisor(tile, memory, tile_, function.address, vertex.address,
                                       vertices.code->supervisorStack);
    });
  } else {
    // Vertices are dealt to the workers in order; a MultiVertex has all of them.
    const std::uint32_t first = function.multiVertex ? 0 : indexOnTile % kWorkers;
    const std::uint32_t count = function.multiVertex ? kWorkers : 1;
    for (std::uint32_t worker = first; worker < first + count; ++worker)
      run([&] {
        return processor_->runWorker(tile, memory, worker, function.address, vertex.address);
      });
  }
  interpreting_.store(nullptr);
  if (traps)
    trapOn(floatingPoint_.stops);
  if (!vertices.cycles.empty())
    vertices.cycles[number] = cycles;
  return all;
}

} // namespace copse::ipud
