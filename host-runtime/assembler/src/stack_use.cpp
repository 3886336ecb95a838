#include "stack_use.hpp"

#include "isa/instruction.hpp"
#include "isa/registers.hpp"

#include <cstring>

namespace copse::assembler {
namespace {

bool namesStackPointer(const isa::OperandInfo &operand, std::uint32_t value) {
  return operand.kind == isa::OperandKind::MainRegister && value <= isa::kStackPointer &&
         isa::kStackPointer < value + operand.registers;
}

bool mayUseStack(std::uint32_t word) {
  const isa::Instruction instruction = isa::decode(word, isa::Architecture::Ipu21);
  if (instruction.opcode == isa::Opcode::Invalid)
    return false; // data among the code
  const isa::InstructionInfo &info = isa::infoOf(instruction.opcode);
  if (info.mnemonic == "call")
    return true;
  for (std::size_t i = 0; i < info.operandCount; ++i)
    if (namesStackPointer(info.operands[i], instruction.operands[i]))
      return true;
  return false;
}

} // namespace

bool usesNoStack(const Section &section) {
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= section.bytes.size();
       at += sizeof(std::uint32_t)) {
    std::uint32_t word = 0;
    std::memcpy(&word, section.bytes.data() + at, sizeof word);
    if (mayUseStack(word))
      return false;
  }
  return true;
}

} // namespace copse::assembler
