#include "tile/codelet_signals.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <ucontext.h>
#include <unistd.h>

namespace copse::ipud {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};

/// Returns a real-time signal that neither debuggers nor common libraries use.
int interruptSignal() { return SIGRTMIN + 11; }

// Signal handlers belong to the process, so their data are global: the previous handlers, written
// once before ours can run, and the CodeletSignals of this thread. Initial-exec, because a handler
// must not allocate the variable.
std::array<struct sigaction, 65> previousHandlers;
[[gnu::tls_model("initial-exec")]] thread_local CodeletSignals *signalsOfThisThread = nullptr;

void passOn(int signal, siginfo_t *info, void *context) {
  const auto &previous = previousHandlers[static_cast<std::size_t>(signal)];
  if ((previous.sa_flags & SA_SIGINFO) != 0) {
    previous.sa_sigaction(signal, info, context);
  } else if (previous.sa_handler == SIG_DFL) {
    // After the return to the faulting instruction, the default action follows. A signal that was
    // sent must be sent again.
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

/// Returns true if a memory fault may be due to a frame for which the stack had no room.
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

/// Adds what only the registers of the interrupted codelet tell.
void noteFault(CodeletFault &fault, const void *context) {
  fault.onStack = isNearStackPointer(fault.address, context);
#if defined(__x86_64__)
  const auto &registers = static_cast<const ucontext_t *>(context)->uc_mcontext.gregs;
  fault.instruction = reinterpret_cast<const void *>(registers[REG_RIP]);
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

/// Leaves a signal handler for good. The caller of the handler may have blocked signals around it,
/// as thread sanitizer does, so the mask must be restored before the jump.
[[noreturn]] void leaveHandler(CodeletExit &exit, const void *context) {
  pthread_sigmask(SIG_SETMASK, &static_cast<const ucontext_t *>(context)->uc_sigmask, nullptr);
  exit.leave();
}

/// Gives handlers a separate stack, because a codelet may overflow the stack that it shares with
/// us.
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

} // namespace

CodeletSignals::CodeletSignals(CodeletExit &exit, ParityGuard &guard)
    : exit_(exit), guard_(guard), thread_(pthread_self()), stack_(giveSignalStack()) {
  static std::once_flag installed;
  std::call_once(installed, installHandlers);
  unblockSignals();
  signalsOfThisThread = this;
}

CodeletSignals::~CodeletSignals() {
  signalsOfThisThread = nullptr;
  if (!stack_)
    return;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
}

void CodeletSignals::installHandlers() {
  for (const int signal : kFaults)
    install(signal, onFault);
  install(interruptSignal(), onInterrupt);
}

void CodeletSignals::onFault(int signal, siginfo_t *info, void *context) {
  auto *const self = signalsOfThisThread;
  // Raised by the current instruction, or by abort() and raise() on this thread; not sent from
  // outside.
  const bool own = info->si_code > 0 || info->si_code == SI_TKILL;
  if (self == nullptr || !own || !self->exit_.isOpen())
    return passOn(signal, info, context);
  if (signal == SIGTRAP && self->guard_.endStep(info, context))
    return;
  const void *word = nullptr;
  const auto access =
      signal == SIGSEGV ? self->guard_.access(info, context, word) : ParityGuard::Access::Elsewhere;
  switch (access) {
  case ParityGuard::Access::GoesOn:
    return;
  case ParityGuard::Access::ReadsError:
    self->exit_.record(CodeletFault::Kind::MemoryError, 0, 0, word);
    break;
  case ParityGuard::Access::Elsewhere:
    noteFault(self->exit_.record(CodeletFault::Kind::Signal, signal, info->si_code, info->si_addr),
              context);
    break;
  }
  leaveHandler(self->exit_, context);
}

void CodeletSignals::onInterrupt(int signal, siginfo_t *info, void *context) {
  auto *const self = signalsOfThisThread;
  if (info->si_code != SI_TKILL)
    return passOn(signal, info, context);
  if (self == nullptr || !self->exit_.isOpen() ||
      self->interruptedEpoch_.load() != self->epoch_.load(std::memory_order_relaxed))
    return; // too late: the compute set is over
  if (auto *const processor = self->interpreting_.load(std::memory_order_relaxed))
    return processor->interrupt();
  if (self->heldBack_.load(std::memory_order_relaxed))
    return self->interruptWaits_.store(true, std::memory_order_relaxed);
  self->exit_.record(CodeletFault::Kind::Interrupted);
  leaveHandler(self->exit_, context);
}

void CodeletSignals::interrupt(std::uint64_t epoch) {
  interruptedEpoch_.store(epoch);
  pthread_kill(thread_, interruptSignal());
}

} // namespace copse::ipud
