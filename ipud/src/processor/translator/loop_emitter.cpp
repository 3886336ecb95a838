#include "processor/translator/loop_emitter.hpp"

#include "processor/translator/known_instructions.hpp"

#include <algorithm>
#include <initializer_list>

namespace copse::ipud {
namespace {

/// How many copies of a body pay.
unsigned copiesOf(const LoopBody &body) {
  constexpr std::size_t kFewForFour = 6, kFewForTwo = 16;
  if (body.calls || body.testsRegister() || body.hasSkips || body.issues.size() > kFewForTwo)
    return 1;
  return body.issues.size() <= kFewForFour ? 4 : 2;
}

bool loadsWhatAuxReads(const Issue &issue) {
  return (footprintOf(issue.main).written & footprintOf(issue.aux).read) >> 16 != 0;
}

} // namespace

LoopEmitter::LoopEmitter(Xbyak::CodeGenerator &code, const LoopBody &body, HostRegisters &registers,
                         const Constants &constants)
    : Emitter(code, registers), body_(body), exits_(registers), integers_(code, registers),
      accesses_(code, registers), floats_(code, registers, constants),
      matrix_(code, registers, constants), paces_(code, registers),
      calls_(code, registers, body, exits_), places_(registers), copies_(copiesOf(body)),
      issues_(body.hasSkips ? body.issues.size() : 0) {}

NativeLoop::Entry LoopEmitter::emit() {
  x_.align(16);
  const auto entry = x_.getCurr<NativeLoop::Entry>();
  emitPrologue();
  emitStart();
  emitCopies();
  for (unsigned copy = 1; copy < copies_; ++copy)
    emitOtherStart(copy);
  floats_.emitRest();
  matrix_.emitRest();
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
  using namespace Xbyak::util;
  for (const auto &r : {rbx, rbp, r12, r13, r14, r15})
    x_.push(r);
  x_.sub(rsp, 8);
  x_.mov(rbx, rdi);
  x_.mov(r13, rsi);
  x_.mov(r12, rdx);
  for (unsigned r = 0; r < 15; ++r)
    if (isHosted(r))
      x_.mov(host(r), mainPlace(r));
  if (hasPairs())
    for (unsigned p = 0; p < 8; p += 2)
      if (((body_.read | body_.written) >> (16 + p) & 3) != 0)
        x_.vmovq(pair(p), place(p));
  if (registers_.hasMatrix)
    matrix_.emitPrologue();
  if (registers_.paced != HostRegisters::kNone)
    paces_.emitPrologue();
}

/// Each turn but the first begins with the count of the one before.
void LoopEmitter::emitCount() {
  const unsigned counter = body_.loop.tested;
  if (!body_.countsItself)
    return;
  if (isHosted(counter))
    x_.dec(host(counter));
  else
    x_.dec(Xbyak::util::dword[Xbyak::util::rbx + offsetOfMain(counter)]);
}

/// Makes r13 a multiple of the copies, and goes to the copy that this asks for.
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
  // Each copy moves the same pairs: after an even number they are back.
  emitLowerPlaces(registers_.inUpper);
  places_.inUpper = 0;
  emitClosing();
}

/// Away from the loop: all pairs are in their lower places.
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
  if (!issues_.empty())
    x_.L(issues_[number]);
  const bool callsAux = body_.isCalled(issue.aux);
  const bool needsAux = issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux);
  if (body_.isCalled(issue.main) || (callsAux && loadsWhatAuxReads(issue)))
    return emitSteps(issue);
  const auto before = [&]() -> const Xbyak::Label & { return exits_.at(body_.stepOf(issue)); };
  const auto form = accessFormOf(issue.main);
  Reg32 address;
  if (form) {
    address = accesses_.emitAddress(*form);
    if (!body_.addresses.moves[number])
      accesses_.emitCheck(*form, address, before());
  }
  const auto pace = paceFormOf(issue.main);
  if (pace)
    paces_.emitChecks(*pace, before());
  auto result = FloatEmitter::Result::None;
  if (needsAux && !callsAux)
    result = emitAux(issue.aux, before());
  if (form)
    accesses_.emitAccess(*form, issue.main, address);
  else if (pace)
    paces_.emitAccesses(*pace);
  else if (issue.main.opcode != Opcode::Invalid && !hasNoEffect(issue.main) &&
           !isCondition(issue.main.opcode))
    integers_.emit(issue.main);
  floats_.emitWrite(result, issue.aux.operands[0]);
  if (callsAux)
    calls_.emitAux(issue);
  if (isCondition(issue.main.opcode))
    emitSkip(issue);
}

/// A branch forwards in the body: its step knows by how much it shortens the turn.
void LoopEmitter::emitSkip(const Issue &issue) {
  Xbyak::Label taken, next;
  const MicroOp *const step = body_.endOf(issue) - 1;
  const std::uint32_t target = targetOfSkip(issue, body_.page.address);
  const auto at = std::ranges::find(body_.issues, target, &Issue::word);
  emitBranch(issue.main.operands[0], issue.main.opcode, taken);
  x_.jmp(next);
  x_.L(taken);
  x_.add(Xbyak::util::qword[Xbyak::util::rbx + offsetOf<std::int64_t>(&Core::cycles)],
         static_cast<std::uint32_t>(step->issues));
  x_.jmp(issues_[static_cast<std::size_t>(at - body_.issues.begin())], kNear);
  x_.L(next);
}

/// The steps of an issue one after the other, as the interpreter does them.
void LoopEmitter::emitSteps(const Issue &issue) {
  const bool needsAux = issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux);
  const MicroOp *const aux = needsAux ? body_.auxStepOf(issue) : nullptr;
  for (const MicroOp *step = body_.stepOf(issue); step != body_.endOf(issue); ++step) {
    if (step == body_.closingStep())
      continue;
    if (step != aux || body_.isCalled(issue.aux))
      calls_.emitStep(*step, step == aux ? issue.aux : issue.main);
    else
      floats_.emitWrite(emitAux(issue.aux, exits_.at(step)), issue.aux.operands[0]);
  }
}

FloatEmitter::Result LoopEmitter::emitAux(const Instruction &i, const Xbyak::Label &unusual) {
  const auto call = matrixCallOf(i);
  if (!call)
    return floats_.emit(i, unusual);
  return matrix_.emit(i, *call, unusual) == MatrixEmitter::Result::Single
             ? FloatEmitter::Result::Single
             : FloatEmitter::Result::Pair;
}

void LoopEmitter::emitClosing() {
  x_.sub(Xbyak::util::r13, copies_);
  if (body_.testsRegister()) {
    Xbyak::Label done;
    x_.jz(done);
    emitBranch(body_.loop.tested, body_.loop.branch, top_);
    x_.L(done);
  } else {
    x_.jnz(top_, kNear);
  }
  emitLeave(body_.closingStep(), 1);
}

void LoopEmitter::emitBranch(unsigned tested, Opcode branch, const Xbyak::Label &target) {
  if (isHosted(tested))
    x_.test(host(tested), host(tested));
  else
    x_.cmp(Xbyak::util::dword[Xbyak::util::rbx + offsetOfMain(tested)], 0);
  switch (branch) {
  case Opcode::Brnz:
    x_.jnz(target, kNear);
    break;
  case Opcode::Brz:
    x_.jz(target, kNear);
    break;
  case Opcode::Brpos:
    x_.jns(target, kNear);
    break;
  default:
    x_.js(target, kNear);
    break;
  }
}

void LoopEmitter::emitLeave(const MicroOp *step, int extra) {
  using namespace Xbyak::util;
  x_.mov(rax, reinterpret_cast<std::size_t>(step));
  x_.lea(rdx, ptr[r13 + extra]);
  x_.jmp(epilogue_, kNear);
}

void LoopEmitter::emitEpilogue() {
  using namespace Xbyak::util;
  for (unsigned r = 0; r < isa::kWorkerBase; ++r)
    if (isHosted(r) && (body_.written >> r & 1) != 0)
      x_.mov(mainPlace(r), host(r));
  if (hasPairs())
    for (unsigned p = 0; p < 8; p += 2)
      if ((body_.written >> (16 + p) & 3) != 0)
        x_.vmovq(place(p), pair(p));
  if (registers_.hasMatrix)
    matrix_.emitEpilogue();
  if (registers_.paced != HostRegisters::kNone)
    paces_.emitEpilogue();
  x_.add(rsp, 8);
  for (const auto &r : {r15, r14, r13, r12, rbp, rbx})
    x_.pop(r);
  x_.ret();
}

} // namespace copse::ipud
