#include "processor/translator/loop_emitter.hpp"

#include <algorithm>
#include <initializer_list>

namespace copse::ipud {
namespace {

/// Returns the number of copies of a body that pays off.
unsigned copiesOf(const LoopBody &body) {
  constexpr std::size_t kFewForFour = 6, kFewForTwo = 16;
  if (body.calls || body.testsRegister() || body.hasSkips || body.issues.size() > kFewForTwo)
    return 1;
  return body.issues.size() <= kFewForFour ? 4 : 2;
}

} // namespace

LoopEmitter::LoopEmitter(Xbyak::CodeGenerator &code, const LoopBody &body, HostRegisters &registers,
                         const Constants &constants)
    : Emitter(code, registers), body_(body), exits_(registers), frame_(code, body, registers),
      issues_(code, body, registers, constants, exits_), places_(registers),
      copies_(copiesOf(body)), targets_(body.hasSkips ? body.issues.size() : 0) {}

NativeLoop::Entry LoopEmitter::emit() {
  x_.align(16);
  const auto entry = x_.getCurr<NativeLoop::Entry>();
  emitPrologue();
  emitStart();
  emitCopies();
  for (unsigned copy = 1; copy < copies_; ++copy)
    emitOtherStart(copy);
  issues_.emitRest();
  for (Exits::Exit &exit : exits_.all()) {
    x_.L(exit.label);
    emitLowerPlaces(exit.inUpper);
    emitLeave(exit.step, exit.extra);
  }
  x_.L(epilogue_);
  emitEpilogue();
  return entry;
}

void LoopEmitter::emitPrologue() {
  frame_.emitEntry();
  x_.mov(Xbyak::util::r13, Xbyak::util::rsi);
  frame_.emitLoads();
  issues_.emitPrologue();
}

/// Counts down at the start of each turn but the first.
void LoopEmitter::emitCount() {
  const unsigned counter = body_.loop.tested;
  if (!body_.countsItself)
    return;
  if (isHosted(counter))
    x_.dec(host(counter));
  else
    x_.dec(Xbyak::util::dword[Xbyak::util::rbx + offsetOfMain(counter)]);
}

/// Rounds r13 to a multiple of the copies, and jumps to the copy that this requires.
void LoopEmitter::emitStart() {
  using namespace Xbyak::util;
  if (copies_ > 1) {
    x_.mov(eax, r13d);
    x_.neg(eax);
    x_.and_(eax, copies_ - 1);
    x_.add(r13, rax);
    for (unsigned copy = 1; copy < copies_; ++copy) {
      x_.cmp(eax, copy);
      x_.je(starts_[copy].start, kNear);
    }
  }
  if (body_.countsItself)
    x_.jmp(starts_[0].body, kNear);
}

void LoopEmitter::emitCopies() {
  x_.align(16);
  x_.L(top_);
  for (unsigned copy = 0; copy < copies_; ++copy) {
    emitCount();
    x_.L(starts_[copy].body);
    starts_[copy].inUpper = registers_.inUpper;
    exits_.setExtra(-static_cast<int>(copy));
    for (std::size_t i = 0; i < body_.issues.size(); ++i)
      emitIssue(i);
  }
  // Each copy moves the same pairs, so after an even number of copies they are back.
  emitLowerPlaces(registers_.inUpper);
  places_.inUpper = 0;
  emitClosing();
}

/// Emits an out-of-line start at \p copy: all pairs are in their lower places.
void LoopEmitter::emitOtherStart(unsigned copy) {
  x_.L(starts_[copy].start);
  for (unsigned p = 0; p < 8; p += 2)
    if ((starts_[copy].inUpper >> p / 2 & 1) != 0)
      x_.vmovaps(upperPlace(p), lowerPlace(p));
  x_.jmp(starts_[copy].body, kNear);
}

/// Moves pairs to where the epilogue expects them.
void LoopEmitter::emitLowerPlaces(unsigned inUpper) {
  for (unsigned p = 0; p < 8; p += 2)
    if ((inUpper >> p / 2 & 1) != 0)
      x_.vmovaps(lowerPlace(p), upperPlace(p));
}

void LoopEmitter::emitIssue(std::size_t number) {
  const Issue &issue = body_.issues[number];
  if (!targets_.empty())
    x_.L(targets_[number]);
  issues_.emit(issue, body_.addresses.moves[number]);
  if (isCondition(issue.main.opcode))
    emitSkip(issue);
}

/// Emits a forward branch in the body. The branch's step has the cycles by which the branch
/// shortens the iteration.
void LoopEmitter::emitSkip(const Issue &issue) {
  Xbyak::Label taken, next;
  const MicroOp *const step = body_.endOf(issue) - 1;
  const std::uint32_t target = targetOfSkip(issue, body_.page.address);
  const auto at = std::ranges::find(body_.issues, target, &Issue::word);
  emitBranchIf(issue.main.opcode, issue.main.operands[0], taken);
  x_.jmp(next);
  x_.L(taken);
  x_.add(Xbyak::util::qword[Xbyak::util::rbx + offsetOf<std::int64_t>(&Core::cycles)],
         static_cast<std::uint32_t>(step->issues));
  x_.jmp(targets_[static_cast<std::size_t>(at - body_.issues.begin())], kNear);
  x_.L(next);
}

void LoopEmitter::emitClosing() {
  x_.sub(Xbyak::util::r13, copies_);
  if (body_.testsRegister()) {
    Xbyak::Label done;
    x_.jz(done);
    emitBranchIf(body_.loop.branch, body_.loop.tested, top_);
    x_.L(done);
  } else {
    x_.jnz(top_, kNear);
  }
  emitLeave(body_.closingStep(), 1);
}

void LoopEmitter::emitLeave(const MicroOp *step, int extra) {
  using namespace Xbyak::util;
  x_.mov(rax, reinterpret_cast<std::size_t>(step));
  x_.lea(rdx, ptr[r13 + extra]);
  x_.jmp(epilogue_, kNear);
}

void LoopEmitter::emitEpilogue() {
  frame_.emitStores();
  issues_.emitEpilogue();
  frame_.emitReturn();
}

} // namespace copse::ipud
