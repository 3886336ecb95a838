#pragma once

#include "isa/instruction.hpp"
#include "isa/registers.hpp"
#include "processor/code_loop.hpp"
#include "processor/executor.hpp"
#include "processor/translator/half_emitter.hpp"
#include "processor/translator/loop_addresses.hpp"
#include "processor/translator/matrix_call.hpp"

/// Classifies instructions by how the translator treats them.
namespace copse::ipud {

/// Returns true for nop, fnop, and constants for registers that ignore writes.
inline bool hasNoEffect(const isa::Instruction &i) {
  return (i.opcode == isa::Opcode::Setzi && i.operands[0] >= isa::kWorkerBase) ||
         (i.opcode == isa::Opcode::AuxSetzi && i.operands[0] >= 8);
}

/// Returns true if IntegerEmitter supports \p opcode.
inline bool isInteger(isa::Opcode opcode) {
  switch (opcode) {
  case isa::Opcode::Add:
  case isa::Opcode::AddZ:
  case isa::Opcode::AddS:
  case isa::Opcode::Sub:
  case isa::Opcode::SubZ:
  case isa::Opcode::SubS:
  case isa::Opcode::Mul:
  case isa::Opcode::MulS:
  case isa::Opcode::And:
  case isa::Opcode::AndZ:
  case isa::Opcode::Andc:
  case isa::Opcode::Or:
  case isa::Opcode::OrZ:
  case isa::Opcode::OrH:
  case isa::Opcode::Xor:
  case isa::Opcode::Shl:
  case isa::Opcode::ShlZ:
  case isa::Opcode::Shr:
  case isa::Opcode::ShrZ:
  case isa::Opcode::Shrs:
  case isa::Opcode::ShrsZ:
  case isa::Opcode::Max:
  case isa::Opcode::MaxZ:
  case isa::Opcode::MaxS:
  case isa::Opcode::Min:
  case isa::Opcode::MinZ:
  case isa::Opcode::MinS:
  case isa::Opcode::Cmpeq:
  case isa::Opcode::CmpeqZ:
  case isa::Opcode::CmpeqS:
  case isa::Opcode::Cmpne:
  case isa::Opcode::Cmpslt:
  case isa::Opcode::CmpsltS:
  case isa::Opcode::Cmpult:
  case isa::Opcode::CmpultZ:
  case isa::Opcode::Setzi:
  case isa::Opcode::Movz:
    return true;
  default:
    return false;
  }
}

/// Returns true if the translator supports an aux instruction.
inline bool isAuxKnown(const isa::Instruction &i) {
  switch (i.opcode) {
  case isa::Opcode::F32add:
  case isa::Opcode::F32sub:
  case isa::Opcode::F32mul:
  case isa::Opcode::F32v2add:
  case isa::Opcode::F32v2sub:
  case isa::Opcode::F32v2mul:
  case isa::Opcode::F32v2addB:
  case isa::Opcode::F32v2subB:
  case isa::Opcode::F32v2mulB:
  case isa::Opcode::AuxAnd:
  case isa::Opcode::And64:
  case isa::Opcode::AuxOr:
  case isa::Opcode::Or64:
  case isa::Opcode::AuxSetzi:
  case isa::Opcode::F32mac:
  case isa::Opcode::F32v2mac:
    return true;
  default:
    return matrixCallOf(i).has_value() || halfFormOf(i).has_value();
  }
}

/// Returns true if the translator supports a main half.
inline bool isMainKnown(const isa::Instruction &i) {
  if (const auto form = accessFormOf(i)) {
    const bool isAux = isa::infoOf(i.opcode).shape()[0].kind == isa::OperandKind::AuxRegister;
    return form->isStore || i.operands[0] < (isAux ? 8U : isa::kWorkerBase);
  }
  return isCondition(i.opcode) || (isInteger(i.opcode) && i.operands[0] < isa::kWorkerBase);
}

/// Returns true if only the interpreter's function can execute \p i.
inline bool isUnknown(const isa::Instruction &i) {
  return i.opcode != isa::Opcode::Invalid && !hasNoEffect(i) && !isMainKnown(i) && !isAuxKnown(i);
}

/// Returns MicroOp::immediate of an instruction whose immediate is not an offset.
inline std::int32_t immediateOf(const isa::Instruction &i) {
  const auto shape = isa::infoOf(i.opcode).shape();
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (shape[k].registers == 0)
      value = i.operands[k];
  return static_cast<std::int32_t>(value);
}

/// Returns true for a step that makes loaded data visible.
inline bool isCommit(const MicroOp &step) {
  return step.label == addressOf(Label::Commit) || step.label == addressOf(Label::CommitOne) ||
         step.label == addressOf(Label::CommitPair);
}
/// Returns true for a step that decides where control goes.
inline bool isControl(const MicroOp &step) {
  for (auto label = static_cast<unsigned>(Label::JumpNear);
       label <= static_cast<unsigned>(Label::Raise); ++label)
    if (step.label == addressOf(static_cast<Label>(label)))
      return true;
  return false;
}
inline bool isFunction(const MicroOp &step) { return !isCommit(step) && step.function != nullptr; }

} // namespace copse::ipud
