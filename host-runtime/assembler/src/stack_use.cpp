#include "stack_use.hpp"

#include "isa/instruction.hpp"
#include "isa/registers.hpp"

#include <algorithm>
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

/// Reads a number in ULEB128. Reads 0 beyond the end.
std::uint32_t ulebAt(const std::vector<std::byte> &bytes, std::size_t at) {
  std::uint64_t value = 0;
  for (unsigned shift = 0; at < bytes.size() && shift < 32; ++at, shift += 7) {
    value |= std::to_integer<std::uint64_t>(bytes[at] & std::byte{0x7F}) << shift;
    if ((bytes[at] & std::byte{0x80}) == std::byte{0})
      break;
  }
  return static_cast<std::uint32_t>(value);
}

bool isAt(const Symbol &symbol, const Relocation &address, const Object &object) {
  if (symbol.section >= object.sections.size())
    return false; // undefined, or a number
  if (address.isSection)
    return symbol.section == address.target && symbol.offset == address.addend;
  const Symbol &target = object.symbols[address.target];
  return symbol.section == target.section && symbol.offset == target.offset + address.addend;
}

} // namespace

std::vector<StackUse> emittedStackUses(const Object &object) {
  std::vector<StackUse> uses;
  const auto isDeclared = [&](const Symbol &symbol) {
    const auto names = [&](const StackUse &use) { return use.name == symbol.name; };
    return std::ranges::any_of(object.stackUses, names) || std::ranges::any_of(uses, names);
  };
  for (const Section &section : object.sections) {
    if (section.name != ".stack_sizes")
      continue;
    for (const Relocation &address : section.relocations)
      for (const Symbol &symbol : object.symbols)
        if (isAt(symbol, address, object) && !isDeclared(symbol))
          uses.push_back(
              {symbol.name, ulebAt(section.bytes, address.offset + sizeof(std::uint32_t)), false});
  }
  return uses;
}

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
