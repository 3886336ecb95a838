#pragma once

#include "isa/instruction.hpp"
#include "isa/registers.hpp"

/// Instructions that the translator of loops has host code for.
namespace copse::ipud {

/// nop and fnop, and constants for registers that ignore them.
inline bool hasNoEffect(const isa::Instruction &i) {
  return (i.opcode == isa::Opcode::Setzi && i.operands[0] >= isa::kWorkerBase) ||
         (i.opcode == isa::Opcode::AuxSetzi && i.operands[0] >= 8);
}

/// Whether host code of an instruction of the aux lane is made.
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
    return false;
  }
}

/// MicroOp::immediate of an instruction whose immediate is no offset.
inline std::int32_t immediateOf(const isa::Instruction &i) {
  const auto shape = isa::infoOf(i.opcode).shape();
  std::uint32_t value = 0;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (shape[k].registers == 0)
      value = i.operands[k];
  return static_cast<std::int32_t>(value);
}

} // namespace copse::ipud
