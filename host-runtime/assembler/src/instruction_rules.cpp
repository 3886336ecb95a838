#include "instruction_rules.hpp"

#include "isa/registers.hpp"
#include "text.hpp"

#include "assembler/diagnostics.hpp"

#include <string_view>

namespace copse::assembler {
namespace {

using isa::Instruction;
using isa::InstructionInfo;
using isa::Opcode;
using isa::OperandInfo;
using isa::OperandKind;

/// Returns the registers that an operand writes, as bits; auxiliary registers are in the upper
/// half.
std::uint32_t writtenBy(const OperandInfo &info, std::uint32_t first) {
  if (!info.isWritten)
    return 0;
  const std::uint32_t count = info.registers == 3 ? 3 : info.registers;
  const std::uint32_t from = info.registers == 3 ? first + 1 : first;
  const std::uint32_t bits = ((1U << count) - 1) << from;
  return info.kind == OperandKind::AuxRegister ? bits << 16 : bits & 0xFFFF;
}

std::uint32_t writtenBy(const Instruction &instruction) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  std::uint32_t all = 0;
  for (unsigned i = 0; i < info.operandCount; ++i)
    all |= writtenBy(info.operands[i], instruction.operands[i]);
  return all;
}

std::string registersIn(std::uint32_t bits) {
  for (std::uint8_t i = 0; i < 32; ++i)
    if (bits >> i & 1)
      return isa::textOf({i >= 16, static_cast<std::uint8_t>(i % 16), 1});
  return {};
}

bool loadsWeights(const Instruction &instruction) {
  return instruction.opcode == Opcode::Ld64putcs || instruction.opcode == Opcode::Ld128putcs;
}

std::uint32_t weightsOf(isa::Architecture architecture) {
  return architecture == isa::Architecture::Ipu1 ? 32 : 64;
}

std::string weightError(std::uint32_t index, std::uint32_t weights) {
  return "there are " + std::to_string(weights) + " common weights, so index " +
         std::to_string(index) + " is out of range 0.." + std::to_string(weights - 1);
}

void checkWeightIndex(const Instruction &instruction, isa::Architecture architecture) {
  if (!loadsWeights(instruction))
    return;
  const std::uint32_t index = instruction.operands[0], weights = weightsOf(architecture);
  if (index >= weights)
    throw StatementError(nullptr, weightError(index, weights));
  if (instruction.opcode == Opcode::Ld128putcs && index % 2 != 0)
    throw StatementError(nullptr,
                         "the index of 'ld128putcs' must be even, not " + std::to_string(index));
}

} // namespace

isa::Architecture writableFor(isa::Architecture architecture) {
  return architecture == isa::Architecture::Ipu1 ? isa::Architecture::Ipu2 : architecture;
}

std::string faultOf(const Instruction &instruction, isa::Architecture architecture) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  if (architecture < info.since)
    return quoted(info.mnemonic) + " does not exist on this architecture; a vertex that reaches "
                                   "it ends with an error";
  const std::uint32_t weights = weightsOf(architecture);
  if (loadsWeights(instruction) && instruction.operands[0] >= weights)
    return weightError(instruction.operands[0], weights) +
           " on this architecture; a vertex that reaches " + quoted(info.mnemonic) +
           " with it ends with an error";
  return {};
}

void checkInstruction(const Instruction &instruction, isa::Architecture architecture) {
  const InstructionInfo &info = isa::infoOf(instruction.opcode);
  std::uint32_t seen = 0;
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const std::uint32_t here = writtenBy(info.operands[i], instruction.operands[i]);
    if (here & seen)
      throw StatementError(nullptr, quoted(info.mnemonic) + " writes " + registersIn(here & seen) +
                                        " twice");
    seen |= here;
  }
  checkWeightIndex(instruction, writableFor(architecture));
}

void checkBundle(const Instruction &main, const Instruction &aux) {
  if (isa::infoOf(main.opcode).isSolo())
    throw StatementError(nullptr, quoted(isa::infoOf(main.opcode).mnemonic) +
                                      " must stand alone, not in a bundle");
  if (const std::uint32_t both = writtenBy(main) & writtenBy(aux))
    throw StatementError(nullptr, "both halves of the bundle write " + registersIn(both));
}

} // namespace copse::assembler
