#include "processor/translator/region_emitter.hpp"

#include "processor/code_page.hpp"
#include "processor/native_loop.hpp"

namespace copse::ipud {

using namespace Xbyak::util;
using How = NativeRegion::How;

namespace {

/// A loop with at least this many turns is left to its own host code, which checks accesses once.
constexpr std::uint32_t kManyTurns = 8;

isa::Opcode oppositeOf(isa::Opcode branch) {
  switch (branch) {
  case isa::Opcode::Brnz:
    return isa::Opcode::Brz;
  case isa::Opcode::Brz:
    return isa::Opcode::Brnz;
  case isa::Opcode::Brpos:
    return isa::Opcode::Brneg;
  default:
    return isa::Opcode::Brpos;
  }
}

/// Returns the number of words in the body of a repeat.
std::uint32_t wordsOfBody(const isa::Instruction &repeat) { return 2 * (repeat.operands[1] + 1); }

} // namespace

RegionEmitter::RegionEmitter(Xbyak::CodeGenerator &code, const CodeRegion &region,
                             HostRegisters &registers, const Constants &constants, const Chip &chip)
    : Emitter(code, registers), region_(region), chip_(chip), exits_(registers),
      frame_(code, region, registers), issues_(code, region, registers, constants, exits_),
      labels_(region.issues.size()), closings_(region.issues.size()) {}

NativeRegion::Entry RegionEmitter::emit() {
  x_.align(16);
  x_.L(entry_);
  const auto entry = x_.getCurr<NativeRegion::Entry>();
  frame_.emitEntry();
  x_.mov(r13, at(offsetOf(&Core::cycles)));
  x_.mov(rax, rsi);
  frame_.emitLoads();
  x_.jmp(rax);
  for (std::size_t i = 0; i < region_.issues.size(); ++i)
    emitIssue(i);
  issues_.emitRest();
  for (std::size_t i = 0; i < looks_.size(); ++i)
    emitLook(looks_[i]);
  for (Exits::Exit &exit : exits_.all()) {
    x_.L(exit.label);
    x_.mov(rax, reinterpret_cast<std::size_t>(exit.step));
    x_.mov(edx, exit.extra);
    x_.jmp(leave_, kNear);
  }
  x_.L(leave_);
  frame_.emitStores();
  x_.mov(at(offsetOf(&Core::cycles)), r13);
  frame_.emitReturn();
  emitPlaces();
  return entry;
}

const Xbyak::Label &RegionEmitter::leaving(const MicroOp *step, How how) {
  return exits_.at(step, static_cast<int>(how));
}

const Xbyak::Label &RegionEmitter::lookAt(const MicroOp *target) {
  for (const Look &look : looks_)
    if (look.target == target)
      return look.label;
  return looks_.emplace_back(Look{target, {}}).label;
}

void RegionEmitter::emitIssue(std::size_t number) {
  const Issue &issue = region_.issues[number];
  x_.L(labels_[number]);
  starts_.push_back(x_.getCurr());
  if (const CodeLoop *const loop = loopAt(region_.page, issue.word))
    emitLoop(*loop, &region_.page.steps[region_.page.start[issue.word]]);
  if (region_.controls[number].flow == Flow::Leave) {
    x_.jmp(leaving(region_.stepOf(issue), How::Left), kNear);
    return;
  }
  if (issue.main.opcode == Opcode::Get) // reads the clock
    x_.mov(at(offsetOf(&Core::cycles)), r13);
  issues_.emit(issue, false);
  x_.L(closings_[number]);
  emitControl(number);
  if (endsRepeat(region_.page, issue))
    emitRepeatEnd(number);
  emitNext(number);
}

/// Jumps to \p body if \p loop has few turns left, for which the loop's own code is not faster.
void RegionEmitter::emitFewTurnsCheck(const CodeLoop &loop, const Xbyak::Label &body) {
  if (loop.isRepeat)
    x_.cmp(coreDword(&Core::turnsLeft), kManyTurns);
  else if (loop.branch != Opcode::Brnzdec)
    return; // the number is unknown
  else if (isHosted(loop.tested))
    x_.cmp(host(loop.tested), kManyTurns);
  else
    x_.cmp(dword[rbx + offsetOfMain(loop.tested)], kManyTurns);
  x_.jb(body, kNear);
}

/// Emits the effect of the executor's step at the start of a loop that may have its own host code.
void RegionEmitter::emitLoop(const CodeLoop &loop, const MicroOp *head) {
  Xbyak::Label attempt, body;
  const Xbyak::Address pause = coreDword(&Core::loopPause);
  emitFewTurnsCheck(loop, body);
  x_.cmp(pause, 0);
  x_.je(attempt);
  x_.dec(pause);
  x_.jmp(body, kNear);
  x_.L(attempt);
  frame_.emitStores();
  x_.mov(at(offsetOf(&Core::cycles)), r13);
  x_.mov(rdi, rbx);
  x_.mov(rsi, reinterpret_cast<std::size_t>(head));
  x_.mov(rax, reinterpret_cast<std::size_t>(&enterLoop));
  x_.call(rax);
  x_.mov(r13, at(offsetOf(&Core::cycles)));
  frame_.emitLoads();
  x_.mov(rcx, reinterpret_cast<std::size_t>(head));
  x_.cmp(rax, rcx);
  x_.je(body);
  const MicroOp *const closing = closingStepOf(region_.page, loop);
  if (const std::size_t last = region_.find(closing->at); last != CodeRegion::kNone) {
    x_.mov(rcx, reinterpret_cast<std::size_t>(closing));
    x_.cmp(rax, rcx);
    x_.je(closings_[last], kNear);
  }
  x_.mov(edx, static_cast<int>(How::Unusual));
  x_.jmp(leave_, kNear);
  x_.L(body);
}

void RegionEmitter::emitControl(std::size_t number) {
  const CodeRegion::Control &control = region_.controls[number];
  switch (control.flow) {
  case Flow::Next:
  case Flow::Leave:
    break;
  case Flow::Jump:
    emitJump(*control.step);
    break;
  case Flow::Call:
    emitCall(region_.issues[number], control);
    break;
  case Flow::Test:
    emitTest(control);
    break;
  case Flow::TestFar:
    emitBranchIf(control.main.opcode, control.main.operands[0], leaving(control.step, How::Left));
    break;
  case Flow::Count:
    emitCount(control);
    break;
  case Flow::Return:
    emitReturn(control);
    break;
  case Flow::Repeat:
    emitRepeat(region_.issues[number], control);
    break;
  }
}

void RegionEmitter::emitGoTo(const MicroOp *step) {
  const std::size_t number = region_.find(step->at);
  x_.jmp(number != CodeRegion::kNone ? labels_[number] : leaving(step, How::Left), kNear);
}

void RegionEmitter::emitJump(const MicroOp &branch) {
  if (branch.issues != 0)
    x_.add(r13, static_cast<std::uint32_t>(branch.issues));
  x_.cmp(r13, coreQword(&Core::limit));
  x_.jge(lookAt(targetOf(branch)), kNear);
  emitGoTo(targetOf(branch));
}

void RegionEmitter::emitCall(const Issue &issue, const CodeRegion::Control &call) {
  if (const unsigned link = call.main.operands[0]; link < isa::kWorkerBase) {
    x_.mov(eax, region_.page.address + 4 * (issue.word + issue.words));
    write(link, eax);
  }
  emitJump(*call.step);
}

void RegionEmitter::emitTest(const CodeRegion::Control &control) {
  Xbyak::Label next;
  emitBranchIf(oppositeOf(control.main.opcode), control.main.operands[0], next);
  emitJump(*control.step);
  x_.L(next);
}

/// A register that is zero stays zero.
void RegionEmitter::emitCount(const CodeRegion::Control &branch) {
  Xbyak::Label done;
  const unsigned counter = branch.main.operands[0];
  if (isHosted(counter))
    x_.sub(host(counter), 1);
  else
    x_.sub(dword[rbx + offsetOfMain(counter)], 1);
  x_.jc(done);
  emitJump(*branch.step);
  x_.L(done);
  if (isHosted(counter))
    x_.xor_(host(counter), host(counter));
  else
    x_.mov(dword[rbx + offsetOfMain(counter)], 0);
}

void RegionEmitter::emitRepeat(const Issue &issue, const CodeRegion::Control &repeat) {
  const CodePage &page = region_.page;
  const std::uint32_t mask = chip_.repeatMask, first = issue.word + issue.words;
  const std::uint32_t words = wordsOfBody(repeat.main);
  const std::int32_t body = page.issues[first + words] - page.issues[first];
  if (repeat.main.opcode == Opcode::Rpt) {
    load(eax, repeat.main.operands[0]);
    x_.and_(eax, mask);
  } else {
    x_.mov(eax, repeat.main.operands[0] & mask);
  }
  x_.mov(coreDword<std::uint32_t>(&Core::repeatFirst), page.address + 4 * first);
  x_.mov(coreDword<std::uint32_t>(&Core::repeatEnd), page.address + 4 * (first + words));
  x_.mov(coreDword<std::uint32_t>(&Core::repeatCount), eax);
  Xbyak::Label some;
  x_.sub(eax, 1);
  x_.jnc(some);
  x_.sub(r13, body);
  emitGoTo(repeat.step + repeat.step->immediate);
  x_.L(some);
  x_.mov(coreDword(&Core::turnsLeft), eax);
  x_.mov(rcx, reinterpret_cast<std::size_t>(repeat.step + 1));
  x_.mov(coreQword(&Core::repeatBody), rcx);
  x_.mov(coreQword(&Core::repeatIssues), body);
}

/// Returns the index of the first issue of the only repeat in the region whose body ends at \p
/// word.
std::size_t RegionEmitter::bodyOfRepeatEndingAt(std::uint32_t word) const {
  std::size_t found = CodeRegion::kNone;
  for (std::size_t i = 0; i < region_.issues.size(); ++i) {
    if (region_.controls[i].flow != Flow::Repeat)
      continue;
    const std::uint32_t first = region_.issues[i].word + region_.issues[i].words;
    if (first + wordsOfBody(region_.controls[i].main) != word)
      continue;
    if (found != CodeRegion::kNone)
      return CodeRegion::kNone;
    found = region_.find(first);
  }
  return found;
}

/// turnsLeft is also 0 if the end of the body is reached without a repeat.
void RegionEmitter::emitRepeatEnd(std::size_t number) {
  const CodePage &page = region_.page;
  const Issue &last = region_.issues[number];
  const std::uint32_t end = last.word + last.words;
  const MicroOp *const step = region_.endOf(last) - 1;
  const std::size_t body = bodyOfRepeatEndingAt(end);
  if (body == CodeRegion::kNone) {
    x_.jmp(leaving(step, How::Left), kNear);
    return;
  }
  const std::uint32_t first = region_.issues[body].word;
  Xbyak::Label done, again;
  x_.mov(eax, coreDword(&Core::turnsLeft));
  x_.sub(eax, 1);
  x_.js(done);
  x_.lea(rcx, ptr[r13 + (page.issues[end] - page.issues[first])]);
  x_.cmp(rcx, coreQword(&Core::limit));
  x_.jl(again);
  x_.lea(rdx, ptr[rcx + page.issues[first]]);
  x_.cmp(rdx, coreQword(&Core::end));
  x_.jge(leaving(step, How::Left), kNear);
  emitInterruptCheck(leaving(step, How::Left));
  x_.L(again);
  x_.mov(coreDword(&Core::turnsLeft), eax);
  x_.mov(r13, rcx);
  x_.jmp(labels_[body], kNear);
  x_.L(done);
  x_.mov(coreDword(&Core::turnsLeft), 0);
  x_.mov(coreDword<std::uint32_t>(&Core::repeatCount), 0);
}

/// The interpreter's limit is Core::kNow if the worker was interrupted.
void RegionEmitter::emitInterruptCheck(const Xbyak::Label &wanted) {
  constexpr int kUpperHalf = 4;
  static_assert(Core::kNow >> 32 == INT32_MIN);
  x_.cmp(dword[rbx + offsetOf(&Core::limit) + kUpperHalf], INT32_MIN);
  x_.je(wanted, kNear);
}

/// Checks whether the turn is over. The returned step is then the first of the next turn.
void RegionEmitter::emitLook(Look &look) {
  x_.L(look.label);
  x_.lea(rax, ptr[r13 + issuesBefore(look.target)]);
  x_.cmp(rax, coreQword(&Core::turnEnd));
  x_.jge(leaving(look.target, How::Jumped), kNear);
  emitInterruptCheck(leaving(look.target, How::Jumped));
  emitGoTo(look.target);
}

/// The interpreter executes returns that leave the region, end the turn, or make changed code
/// visible.
void RegionEmitter::emitReturn(const CodeRegion::Control &branch) {
  const Xbyak::Label &left = leaving(branch.step, How::Left);
  const std::int32_t issues = issuesBefore(branch.step) + 1;
  Xbyak::Label goes;
  load(eax, branch.main.operands[0]);
  x_.sub(eax, region_.page.address + 4 * firstWord());
  x_.ror(eax, 2); // misaligned addresses become large
  x_.cmp(eax, wordCount());
  x_.jae(left, kNear);
  x_.lea(rcx, ptr[rip + places_]);
  x_.mov(rcx, ptr[rcx + rax * 8]);
  x_.test(ecx, ecx);
  x_.jz(left, kNear);
  x_.cmp(byte[rbx + offsetOf(&Core::codeWritten)], 0);
  x_.jnz(left, kNear);
  x_.lea(rdx, ptr[r13 + (issues + 1)]); // upper bound
  x_.cmp(rdx, coreQword(&Core::limit));
  x_.jl(goes);
  x_.cmp(rdx, coreQword(&Core::turnEnd));
  x_.jge(left, kNear);
  emitInterruptCheck(left);
  x_.L(goes);
  x_.lea(rax, ptr[rip + entry_]);
  x_.mov(edx, ecx);
  x_.add(rax, rdx);
  x_.sar(rcx, 32);
  x_.lea(r13, ptr[r13 + rcx + issues]);
  x_.jmp(rax);
}

/// Emits, for each word from the first to the last issue, the offset of its host code from the
/// entry (or 0), and what a jump to it adds to r13.
void RegionEmitter::emitPlaces() {
  const CodePage &page = region_.page;
  constexpr std::uint32_t kWords = CodePage::kBytes / 4; // other words belong to the next page
  x_.align(8);
  x_.L(places_);
  const auto *const entry = entry_.getAddress();
  for (std::uint32_t word = firstWord(); word < firstWord() + wordCount(); ++word) {
    const std::size_t number = word < kWords ? region_.find(word) : CodeRegion::kNone;
    if (number == CodeRegion::kNone) {
      x_.dq(0);
      continue;
    }
    const bool isLate = region_.issues[number].words > 1 && (page.address / 4 + word) % 2 != 0;
    x_.dd(static_cast<std::uint32_t>(static_cast<const std::uint8_t *>(starts_[number]) - entry));
    x_.dd(static_cast<std::uint32_t>((isLate ? 1 : 0) - page.issues[word]));
  }
}

void RegionEmitter::emitNext(std::size_t number) {
  const Flow flow = region_.controls[number].flow;
  const Issue &issue = region_.issues[number];
  const std::uint32_t next = issue.word + issue.words;
  const bool follows =
      number + 1 < region_.issues.size() && region_.issues[number + 1].word == next;
  const bool goesOn = flow != Flow::Jump && flow != Flow::Call && flow != Flow::Return;
  if (goesOn && !follows)
    emitGoTo(&region_.page.steps[region_.page.start[next]]);
}

} // namespace copse::ipud
