#include "processor/translator/issue_emitter.hpp"

#include "processor/translator/known_instructions.hpp"

namespace copse::ipud {
namespace {

bool loadsWhatAuxReads(const Issue &issue) {
  return (footprintOf(issue.main).written & footprintOf(issue.aux).read) >> 16 != 0;
}

} // namespace

IssueEmitter::IssueEmitter(Xbyak::CodeGenerator &code, const CodeBody &body,
                           HostRegisters &registers, const Constants &constants, Exits &exits)
    : Emitter(code, registers), body_(body), exits_(exits), integers_(code, registers),
      accesses_(code, registers), floats_(code, registers, constants),
      halves_(code, registers, constants), matrix_(code, registers, constants),
      paces_(code, registers), calls_(code, registers, body, exits) {}

void IssueEmitter::emitPrologue() {
  if (registers_.hasMatrix)
    matrix_.emitPrologue();
  if (registers_.paced != HostRegisters::kNone)
    paces_.emitPrologue();
}

void IssueEmitter::emitEpilogue() {
  if (registers_.hasMatrix)
    matrix_.emitEpilogue();
  if (registers_.paced != HostRegisters::kNone)
    paces_.emitEpilogue();
}

void IssueEmitter::emit(const Issue &issue, bool isInWindow) {
  const bool callsAux = body_.isCalled(issue.aux);
  const bool needsAux = issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux);
  if (body_.isCalled(issue.main) || (callsAux && loadsWhatAuxReads(issue)))
    return emitSteps(issue);
  const auto before = [&]() -> const Xbyak::Label & { return exits_.at(body_.stepOf(issue)); };
  const auto form = accessFormOf(issue.main);
  Reg32 address;
  if (form) {
    address = accesses_.emitAddress(*form);
    if (!isInWindow)
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
}

/// Emits the steps of an issue one after another, as the interpreter executes them.
void IssueEmitter::emitSteps(const Issue &issue) {
  const bool needsAux = issue.aux.opcode != Opcode::Invalid && !hasNoEffect(issue.aux);
  const MicroOp *const aux = needsAux ? body_.auxStepOf(issue) : nullptr;
  for (const MicroOp *step = body_.stepOf(issue); step != body_.endOf(issue); ++step) {
    if (isControl(*step))
      continue;
    if (step != aux || body_.isCalled(issue.aux))
      calls_.emitStep(*step, step == aux ? issue.aux : issue.main);
    else
      floats_.emitWrite(emitAux(issue.aux, exits_.at(step)), issue.aux.operands[0]);
  }
}

FloatEmitter::Result IssueEmitter::emitAux(const Instruction &i, const Xbyak::Label &unusual) {
  if (const auto form = halfFormOf(i)) {
    halves_.emit(i, *form, unusual);
    const bool isPair = form->isPair || form->kind == HalfForm::Kind::ToSingles;
    return isPair ? FloatEmitter::Result::Pair : FloatEmitter::Result::Single;
  }
  const auto call = matrixCallOf(i);
  if (!call)
    return floats_.emit(i, unusual);
  return matrix_.emit(i, *call, unusual) == MatrixEmitter::Result::Single
             ? FloatEmitter::Result::Single
             : FloatEmitter::Result::Pair;
}

void IssueEmitter::emitRest() {
  floats_.emitRest();
  matrix_.emitRest();
}

} // namespace copse::ipud
