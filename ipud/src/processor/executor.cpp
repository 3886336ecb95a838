#include "processor/executor.hpp"

#include "processor/float_operations.hpp"
#include "processor/main_operations.hpp"
#include "processor/native_loop.hpp"
#include "processor/native_region.hpp"

#include <algorithm>

namespace copse::ipud {
namespace {

bool holds(std::uint8_t test, std::uint32_t value) {
  switch (static_cast<isa::Opcode>(test + static_cast<unsigned>(isa::Opcode::Exitneg))) {
  case isa::Opcode::Exitneg:
    return static_cast<std::int32_t>(value) < 0;
  case isa::Opcode::Exitnz:
    return value != 0;
  case isa::Opcode::Exitpos:
    return static_cast<std::int32_t>(value) >= 0;
  default:
    return value == 0;
  }
}

/// Returns the worker cycles that the page counts before the current step.
std::int64_t issuesBefore(const Core &c, const MicroOp &u) { return c.page->issues[u.at]; }

/// Executes a bundle of which one half is not the simple case. Registers that its main half loads
/// change last.
[[gnu::noinline]] bool executeBundle(Core &c, const MicroOp *u) {
  const unsigned loaded = u->r[MicroOp::kLoaded];
  MicroOp first = *u;
  if (loaded != 0)
    first.r[0] = RegisterFiles::kAuxPending;
  if (!first.function(c, first) || !u[1].function(c, u[1]))
    return false;
  std::copy_n(c.r() + RegisterFiles::kAuxPending, loaded, c.r() + u->r[0]);
  return true;
}

Stop loop(Core *core, const MicroOp *u, Fetcher *fetcher, const void *const **table);

const void *const *tableOfLabels() {
  const void *const *table = nullptr;
  loop(nullptr, nullptr, nullptr, &table);
  return table;
}

// The loop jumps to addresses of labels, an extension of the compilers that we support.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

Stop loop(Core *core, const MicroOp *u, Fetcher *fetcher, const void *const **table) {
  static const void *const kLabels[] = {
#define COPSE_LABEL(name) &&name,
#include "processor/labels.def"
#undef COPSE_LABEL
  };
  if (core == nullptr) {
    *table = kLabels;
    return Stop::Exited;
  }
  Core &c = *core;
  std::byte *const memory = c.memory;
  std::int64_t cycles = c.cycles; // see Core::cycles, which is updated before other code reads it
  std::uint32_t target = 0;
  Stop why = Stop::Exited;
  const MicroOp *otherwise = u; // executed if the region has no host code
  using namespace operation;
  goto enterRegion;
  // One jump in the source, which the compiler duplicates at each place that jumps here.
dispatch:
  goto * u->label;

#define COPSE_NEXT                                                                                 \
  ++u;                                                                                             \
  goto dispatch
#define COPSE_JUMP_NEAR                                                                            \
  cycles += u->issues;                                                                             \
  u = reinterpret_cast<const MicroOp *>(reinterpret_cast<const std::byte *>(u) + u->distance);     \
  if (cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]                              \
    goto nearLimit;                                                                                \
  goto dispatch
#define COPSE_DO(name, expression)                                                                 \
  name:                                                                                            \
  if (!(expression)) [[unlikely]]                                                                  \
    goto faulted;                                                                                  \
  COPSE_NEXT;
#define COPSE_HOT(name) COPSE_DO(name, operation::name(c, *u))
#include "processor/hot_operations.def"
#undef COPSE_HOT
  COPSE_DO(PlainLoad32, (loadMain<U32, U32, Form::Plain>(c, *u, memory)))
  COPSE_DO(PlainLoadAux32, (loadAux<U32, 1, Form::Plain>(c, *u, memory)))
  COPSE_DO(PlainLoadAux64, (loadAux<U64, 1, Form::Plain>(c, *u, memory)))
  COPSE_DO(PlainStore32, (store<false, U32, Form::Plain>(c, *u, memory)))
  COPSE_DO(SteppedLoad32, (loadMain<U32, U32, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(SteppedLoadAux32, (loadAux<U32, 1, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(SteppedLoadAux64, (loadAux<U64, 1, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(SteppedStore32, (store<false, U32, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(SteppedStoreAux32, (store<true, U32, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(SteppedStoreAux64, (store<true, U64, Form::PlainStep>(c, *u, memory)))
  COPSE_DO(Call, u->function(c, *u))
#undef COPSE_DO

  // Two steps as one: nothing is written before both halves are known to be the simple case.
#define COPSE_FUSED_LOAD(name, type, arithmetic)                                                   \
  name : {                                                                                         \
    std::uint64_t stepped = u->r[2];                                                               \
    const std::uint64_t address = c.r()[stepped];                                                  \
    if (!isInWindow<sizeof(type)>(c, static_cast<std::uint32_t>(address))) [[unlikely]]            \
      goto bundle;                                                                                 \
    const auto value = loaded<type>(memory + address);                                             \
    if (!quick::arithmetic(c, u[1])) [[unlikely]]                                                  \
      goto bundle;                                                                                 \
    forgetOrigin(stepped);                                                                         \
    c.r()[stepped] =                                                                               \
        static_cast<std::uint32_t>(address) + static_cast<std::uint32_t>(u->immediate);            \
    std::memcpy(c.r() + u->r[0], &value, sizeof value);                                            \
    u += 2;                                                                                        \
    goto dispatch;                                                                                 \
  }
#define COPSE_FUSED_STORE(name, type, arithmetic)                                                  \
  name : {                                                                                         \
    std::uint64_t stepped = u->r[2];                                                               \
    const std::uint64_t address = c.r()[stepped];                                                  \
    if (!isInWindow<sizeof(type)>(c, static_cast<std::uint32_t>(address))) [[unlikely]]            \
      goto bundle;                                                                                 \
    type value;                                                                                    \
    std::memcpy(&value, c.r() + u->r[0], sizeof value);                                            \
    if (!quick::arithmetic(c, u[1])) [[unlikely]]                                                  \
      goto bundle;                                                                                 \
    forgetOrigin(stepped);                                                                         \
    c.r()[stepped] =                                                                               \
        static_cast<std::uint32_t>(address) + static_cast<std::uint32_t>(u->immediate);            \
    stored(memory + address, value);                                                               \
    u += 2;                                                                                        \
    goto dispatch;                                                                                 \
  }
#define COPSE_FUSED_ROW(arithmetic)                                                                \
  COPSE_FUSED_LOAD(SteppedLoadAux64##arithmetic, U64, arithmetic)                                  \
  COPSE_FUSED_LOAD(SteppedLoadAux32##arithmetic, U32, arithmetic)                                  \
  COPSE_FUSED_STORE(SteppedStoreAux64##arithmetic, U64, arithmetic)                                \
  COPSE_FUSED_STORE(SteppedStoreAux32##arithmetic, U32, arithmetic)
#include "processor/fused_bundles.def"
#undef COPSE_FUSED_ROW
#undef COPSE_FUSED_STORE
#undef COPSE_FUSED_LOAD
bundle:
  if (!executeBundle(c, u))
    goto faulted;
  u += 2;
  goto dispatch;
ReadControl:
  c.cycles = cycles;
  if (!u->function(c, *u)) [[unlikely]]
    goto faulted;
  COPSE_NEXT;

CommitPair : {
  std::uint64_t pair;
  std::memcpy(&pair, c.r() + u->r[1], sizeof pair);
  std::memcpy(c.r() + u->r[0], &pair, sizeof pair);
  COPSE_NEXT;
}
CommitOne:
  c.r()[u->r[0]] = c.r()[u->r[1]];
  COPSE_NEXT;
Commit:
  for (unsigned i = 0; i < u->r[2]; ++i)
    c.r()[u->r[0] + i] = c.r()[u->r[1] + i];
  COPSE_NEXT;

#define COPSE_BRANCH(near, far, condition)                                                         \
  near:                                                                                            \
  if (condition)                                                                                   \
    goto jumpNear;                                                                                 \
  COPSE_NEXT;                                                                                      \
  far:                                                                                             \
  if (condition)                                                                                   \
    goto JumpFar;                                                                                  \
  COPSE_NEXT;
  COPSE_BRANCH(IfZeroNear, IfZeroFar, mainOf(c, *u, 0) == 0)
  COPSE_BRANCH(IfNotZeroNear, IfNotZeroFar, mainOf(c, *u, 0) != 0)
  COPSE_BRANCH(IfNegativeNear, IfNegativeFar, asSigned(mainOf(c, *u, 0)) < 0)
  COPSE_BRANCH(IfPositiveNear, IfPositiveFar, asSigned(mainOf(c, *u, 0)) >= 0)
#undef COPSE_BRANCH

CountDownNear:
  // In place: the decoder ensures that the register is writable.
  if (!countDown(c.r()[u->r[0]])) {
    COPSE_JUMP_NEAR;
  }
  // Zero stays zero: libraries re-enter a loop with the counter that it left.
  c.r()[u->r[0]] = 0;
  COPSE_NEXT;
CountDownFar : {
  const std::uint32_t count = mainOf(c, *u, 0);
  c.r()[u->written] = count - (count != 0 ? 1 : 0);
  if (count != 0)
    goto JumpFar;
  COPSE_NEXT;
}
CallNear:
  setMain(c, *u, c.address(*u) + u->r[1]);
JumpNear:
jumpNear:
  COPSE_JUMP_NEAR;
CallFar:
  setMain(c, *u, c.address(*u) + u->r[1]);
JumpFar:
  target = static_cast<std::uint32_t>(u->immediate);
jumpToTarget:
  c.cycles = cycles + issuesBefore(c, *u) + 1;
  c.pc = target;
  if (c.stepping)
    return Stop::Stepped;
  u = fetcher->enter(c, target, true);
  if (u == nullptr)
    return c.fault == isa::Exception::None ? Stop::ToStep : Stop::Faulted;
  cycles = c.cycles;
  if (c.stopsAt(c.turnEnd, cycles + issuesBefore(c, *u))) [[unlikely]]
    goto limitReached;
  otherwise = u;
  goto enterRegion;
nearLimit:
  if (c.stopsAt(c.turnEnd, cycles + issuesBefore(c, *u))) [[unlikely]]
    goto limitReached;
  if (u->label == &&TurnEnd)
    ++u;
  goto dispatch;
CheckTarget:
  target = mainOf(c, *u, 0);
  if (!isExecutable(*c.chip, target) && target != c.returnAddress &&
      !isNativeEntry(*c.chip, target))
    goto badTarget;
  COPSE_NEXT;
JumpToRegister:
  target = mainOf(c, *u, 0);
  if (isExecutable(*c.chip, target) || target == c.returnAddress || isNativeEntry(*c.chip, target))
    goto jumpToTarget;
badTarget:
  c.raise(isa::Exception::InvalidPc);
  goto faulted;

Repeat : {
  const bool isNear = (u->r[3] & MicroOp::kNearRepeat) != 0;
  const std::uint32_t words = u->r[2], bundles = u->r[1] + 1U;
  c.repeatCount = ((u->r[3] & MicroOp::kCountInRegister) != 0
                       ? mainOf(c, *u, 0)
                       : static_cast<std::uint32_t>(u->r[4]) << 8 | u->r[0]) &
                  c.chip->repeatMask;
  c.repeatFirst = c.address(*u) + 4 * words;
  c.repeatEnd = c.repeatFirst + 8 * bundles;
  if (isNear) {
    const std::uint16_t *const issues = &c.page->issues[u->at + words];
    const std::int64_t body = issues[2 * bundles] - issues[0];
    if (c.repeatCount == 0) {
      cycles -= body;
      u += u->immediate;
      goto dispatch;
    }
    c.repeatBody = u + 1;
    c.turnsLeft = static_cast<std::int32_t>(c.repeatCount) - 1;
    c.repeatIssues = body;
    COPSE_NEXT;
  }
  c.cycles = cycles + issuesBefore(c, *u) + 1;
  c.pc = c.repeatCount != 0 ? c.repeatFirst : c.repeatEnd;
  return c.stepping ? Stop::Stepped : Stop::ToStep;
}
RepeatEnd:
  // turnsLeft is also 0 if the end of the body is reached without a repeat.
  if (--c.turnsLeft >= 0) [[likely]] {
    cycles += c.repeatIssues;
    u = c.repeatBody;
    if (cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]
      if (c.stopsAt(c.end, cycles + issuesBefore(c, *u)))
        goto limitReached;
    goto dispatch;
  }
  c.turnsLeft = 0;
  c.repeatCount = 0;
  COPSE_NEXT;

EnterLoop : {
  if (c.loopPause != 0) {
    --c.loopPause;
    COPSE_NEXT;
  }
  c.cycles = cycles;
  const MicroOp *const next = enterLoop(c, u);
  if (next == u) {
    otherwise = u + 1;
    goto enterRegion;
  }
  cycles = c.cycles;
  u = next;
  if (c.fault != isa::Exception::None) [[unlikely]]
    goto faulted;
  goto dispatch;
}

enterRegion : {
  if (c.page->natives == nullptr) {
    u = otherwise;
    goto dispatch;
  }
  c.cycles = cycles;
  const NativeRegion::Exit exit = enterRegion(c, u);
  cycles = c.cycles;
  u = exit.step != nullptr ? exit.step : otherwise;
  if (c.fault != isa::Exception::None) [[unlikely]]
    goto faulted;
  if (exit.how == NativeRegion::How::Jumped)
    goto nearLimit;
  goto dispatch;
}

TurnEnd:
  if (cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]
    goto nearLimit;
  COPSE_NEXT;

Exit:
  c.status = holds(u->r[1], mainOf(c, *u, 0));
  c.exited = true;
  why = Stop::Exited;
  goto stopAfter;
WriteControl:
  // If floating-point traps are enabled, execute in single steps, which can undo the rest of a
  // bundle.
  if (!u->function(c, *u))
    goto faulted;
  if ((c.fpControl & 7) == 0 || c.stepping) {
    COPSE_NEXT;
  }
  c.cycles = cycles + issuesBefore(c, *u) + 1;
  c.pc = c.address(*u) + 4U * u->r[4];
  return Stop::ToStep;

PageEnd:
  // PageEnd is not an instruction: its predecessors have been counted.
  c.cycles = cycles + issuesBefore(c, *u);
  c.pc = c.address(*u);
  if (c.stepping)
    return Stop::Stepped;
  u = fetcher->enter(c, c.pc, false);
  if (u == nullptr)
    return c.fault == isa::Exception::None ? Stop::ToStep : Stop::Faulted;
  cycles = c.cycles;
  otherwise = u;
  goto enterRegion;

Raise:
  c.raise(static_cast<isa::Exception>(u->immediate));
faulted:
  why = Stop::Faulted;
stopAfter:
  c.cycles = cycles + issuesBefore(c, *u) + 1;
  c.pc = c.address(*u);
  return why;
limitReached:
  // After a taken branch, its target is next.
  c.resume = u;
  c.cycles = cycles + issuesBefore(c, *u);
  c.pc = c.address(*u);
  return Stop::Limit;
#undef COPSE_JUMP_NEAR
#undef COPSE_NEXT
}

#pragma GCC diagnostic pop

} // namespace

const void *addressOf(Label label) {
  static const void *const *const table = tableOfLabels();
  return table[static_cast<unsigned>(label)];
}

Stop execute(Core &core, const MicroOp *step, Fetcher &fetcher) {
  return loop(&core, step, &fetcher, nullptr);
}

/// Returns the decoded page that contains \p address; null if there is none.
const CodePage *Fetcher::pageWith(Core &core, std::uint32_t address) {
  if (core.block != nullptr)
    return core.block->holds(address) ? core.block : nullptr;
  if (core.codeWritten) {
    core.codeWritten = false;
    code_.forget();
  }
  const std::uint32_t number = cache_.pageOf(address);
  if (number == cache_.pages())
    return nullptr;
  const CodePage *const page = code_.page(cache_, number, core.memory, inStep_);
  foundWaitingLoop_ |= page->hasWaitingLoop;
  return page;
}

const MicroOp *Fetcher::enter(Core &core, std::uint32_t address, bool jumped) {
  if (!isExecutable(*core.chip, address)) {
    if (!isNativeEntry(*core.chip, address))
      core.raise(isa::Exception::InvalidPc);
    return nullptr;
  }
  const CodePage *const page = pageWith(core, address);
  if (page == nullptr)
    return nullptr;
  core.page = page;
  const std::uint32_t word = (address - core.page->address) / 4;
  const std::uint16_t start = core.page->start[word];
  if (start == CodePage::kNoStart) {
    core.raise(isa::Exception::InvalidInstruction);
    return nullptr;
  }
  const bool isBundle = (core.page->words[word] & isa::kBundleBit) != 0;
  if (jumped && isBundle && address % 8 != 0)
    ++core.cycles;
  core.cycles -= core.page->issues[word];
  return &core.page->steps[start];
}

void Fetcher::openWindow(Core &core) const {
  const Chip &chip = *core.chip;
  constexpr std::uint32_t kElement = 1U << kElementBits;
  constexpr std::uint32_t kFetchedAhead = 64;
  // Find the largest range without memory elements that contain code.
  std::uint32_t begin = chip.begin, best = 0, bestBegin = chip.begin;
  const auto consider = [&](std::uint32_t end) {
    if (end > begin && end - begin > best) {
      best = end - begin;
      bestBegin = begin;
    }
  };
  for (const CodeRange &range : cache_.ranges()) {
    consider(range.begin / kElement * kElement);
    begin = std::max(begin, (range.end + kFetchedAhead + kElement - 1) / kElement * kElement);
  }
  consider(chip.end);
  core.windowBegin = bestBegin;
  core.interleaved = chip.interleaved;
  for (unsigned shift = 0; shift < 4; ++shift)
    core.windowLimit[shift] = best >> shift;
  core.windowLimit[4] = (chip.end - chip.interleaved) >> 4;
  core.codeBegin = cache_.ranges().empty() ? 0 : cache_.ranges().front().begin;
  core.codeEnd = cache_.ranges().empty() ? 0 : cache_.ranges().back().end;
}

} // namespace copse::ipud
