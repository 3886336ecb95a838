#include "isa/executor.hpp"

#include "isa/float_operations.hpp"
#include "isa/main_operations.hpp"

#include <emmintrin.h>

namespace copse::ipud {
namespace {

/// Denormal operands count as zero, as on the tile; without it they take a detour on every use.
class DenormalsAreZero {
public:
  DenormalsAreZero() : before_(_mm_getcsr()) {
    constexpr unsigned kDenormalsAreZero = 0x40;
    _mm_setcsr(before_ | kDenormalsAreZero);
  }
  ~DenormalsAreZero() { _mm_setcsr(before_); }
  DenormalsAreZero(const DenormalsAreZero &) = delete;
  DenormalsAreZero &operator=(const DenormalsAreZero &) = delete;

private:
  const unsigned before_;
};

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

Stop loop(Core *core, const MicroOp *u, Fetcher *fetcher, const void *const **table);

const void *const *tableOfLabels() {
  const void *const *table = nullptr;
  loop(nullptr, nullptr, nullptr, &table);
  return table;
}

// The loop is threaded by addresses of labels, which the compilers that we build with have.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"

Stop loop(Core *core, const MicroOp *u, Fetcher *fetcher, const void *const **table) {
  static const void *const kLabels[] = {
#define COPSE_LABEL(name) &&name,
#include "isa/labels.def"
#undef COPSE_LABEL
  };
  if (core == nullptr) {
    *table = kLabels;
    return Stop::Exited;
  }
  Core &c = *core;
  std::byte *const memory = c.memory;
  std::uint32_t target = 0;
  Stop why = Stop::Exited;
  using namespace operation;
  goto * u->label;

#define COPSE_NEXT                                                                                 \
  ++u;                                                                                             \
  goto * u->label
#define COPSE_DO(name, expression)                                                                 \
  name:                                                                                            \
  if (!(expression)) [[unlikely]]                                                                  \
    goto faulted;                                                                                  \
  COPSE_NEXT;
#define COPSE_HOT(name) COPSE_DO(name, operation::name(c, *u))
#include "isa/hot_operations.def"
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

CommitPair : {
  std::uint64_t pair;
  std::memcpy(&pair, c.a() + u->r[1], sizeof pair);
  std::memcpy(c.a() + u->r[0], &pair, sizeof pair);
  COPSE_NEXT;
}
CommitOne:
  c.a()[u->r[0]] = c.a()[u->r[1]];
  COPSE_NEXT;
Commit:
  for (unsigned i = 0; i < u->r[2]; ++i)
    c.a()[u->r[0] + i] = c.a()[u->r[1] + i];
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
  // Counted down in place: the decoder sees to it that the register can be written.
  if (!__builtin_usub_overflow(c.m()[u->r[0]], 1U, &c.m()[u->r[0]]))
    goto jumpNear;
  COPSE_NEXT;
CountDownFar : {
  const std::uint32_t count = mainOf(c, *u, 0);
  c.m()[u->written] = count - 1;
  if (count != 0)
    goto JumpFar;
  COPSE_NEXT;
}
CallNear:
  setMain(c, *u, c.address(*u) + u->r[1]);
JumpNear:
jumpNear:
  c.cycles += u->issues;
  u = reinterpret_cast<const MicroOp *>(reinterpret_cast<const std::byte *>(u) + u->immediate);
  if (c.cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]
    goto limitReached;
  goto * u->label;
CallFar:
  setMain(c, *u, c.address(*u) + u->r[1]);
JumpFar:
  target = static_cast<std::uint32_t>(u->immediate);
jumpToTarget:
  c.cycles = c.elapsed(*u) + 1;
  c.pc = target;
  if (c.stepping)
    return Stop::Stepped;
  if (c.cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]
    return Stop::Limit;
  u = fetcher->enter(c, target, true);
  if (u == nullptr)
    return c.fault == isa::Exception::None ? Stop::ToStep : Stop::Faulted;
  goto * u->label;
CheckTarget:
  if (!isExecutable(*c.chip, mainOf(c, *u, 0)) && mainOf(c, *u, 0) != c.returnAddress)
    goto badTarget;
  COPSE_NEXT;
JumpToRegister:
  target = mainOf(c, *u, 0);
  if (isExecutable(*c.chip, target) || target == c.returnAddress)
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
    if (c.repeatCount == 0) {
      c.cycles -= bundles;
      u += u->immediate;
      goto * u->label;
    }
    c.repeatLast = u + u->immediate - 1;
    c.repeatBody = u + 1;
    c.repeatIssues = static_cast<std::int32_t>(bundles);
    COPSE_NEXT;
  }
  c.cycles = c.elapsed(*u) + 1;
  c.pc = c.repeatCount != 0 ? c.repeatFirst : c.repeatEnd;
  return c.stepping ? Stop::Stepped : Stop::ToStep;
}
RepeatEnd:
  if (c.repeatLast == u) {
    if (--c.repeatCount != 0) {
      c.cycles += c.repeatIssues;
      u = c.repeatBody;
      if (c.cycles >= c.limit.load(std::memory_order_relaxed)) [[unlikely]]
        goto limitReached;
      goto * u->label;
    }
    c.repeatLast = nullptr;
  }
  COPSE_NEXT;

Exit:
  c.status = holds(u->r[1], mainOf(c, *u, 0));
  c.exited = true;
  why = Stop::Exited;
  goto stopAfter;
WriteControl:
  // Traps of floating-point events need single steps: the rest of a bundle is undone then.
  if (!u->function(c, *u))
    goto faulted;
  if ((c.fpControl & 7) == 0 || c.stepping) {
    COPSE_NEXT;
  }
  c.cycles = c.elapsed(*u) + 1;
  c.pc = c.address(*u) + 4U * u->r[4];
  return Stop::ToStep;

PageEnd:
  // No instruction: what was issued is counted before it.
  c.cycles = c.elapsed(*u);
  c.pc = c.address(*u);
  if (c.stepping)
    return Stop::Stepped;
  u = fetcher->enter(c, c.pc, false);
  if (u == nullptr)
    return c.fault == isa::Exception::None ? Stop::ToStep : Stop::Faulted;
  goto * u->label;

Raise:
  c.raise(static_cast<isa::Exception>(u->immediate));
faulted:
  why = Stop::Faulted;
stopAfter:
  c.cycles = c.elapsed(*u) + 1;
  c.pc = c.address(*u);
  return why;
limitReached:
  // The branch has been taken: its target is next.
  c.cycles += c.page->issues[u->at];
  c.pc = c.address(*u);
  return Stop::Limit;
#undef COPSE_NEXT
}

#pragma GCC diagnostic pop

} // namespace

const void *addressOf(Label label) {
  static const void *const *const table = tableOfLabels();
  return table[static_cast<unsigned>(label)];
}

Stop execute(Core &core, const MicroOp *step, Fetcher &fetcher) {
  const DenormalsAreZero mode;
  return loop(&core, step, &fetcher, nullptr);
}

const MicroOp *Fetcher::enter(Core &core, std::uint32_t address, bool jumped) {
  if (!isExecutable(*core.chip, address)) {
    core.raise(isa::Exception::InvalidPc);
    return nullptr;
  }
  if (core.codeWritten) {
    core.codeWritten = false;
    code_.forget();
  }
  const std::uint32_t number = cache_.pageOf(address);
  if (number == cache_.pages())
    return nullptr;
  core.page = code_.page(cache_, number, core.memory);
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
  // The largest stretch without elements that hold code.
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
