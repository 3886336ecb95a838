#include "isa/text.hpp"

#include "isa/csr.hpp"
#include "isa/registers.hpp"

#include <cstdio>

namespace copse::isa {
namespace {

std::string_view suffixText(Suffix suffix) {
  switch (suffix) {
  case Suffix::None:
    return "";
  case Suffix::Step:
    return "+=";
  case Suffix::Increment:
    return "++";
  case Suffix::At:
    return "@";
  case Suffix::Shift:
    return ">>";
  }
  return "";
}

std::string_view broadcastText(Broadcast broadcast) {
  switch (broadcast) {
  case Broadcast::None:
    return "";
  case Broadcast::Element:
    return ":B";
  case Broadcast::Lower:
    return ":BL";
  case Broadcast::Upper:
    return ":BU";
  }
  return "";
}

std::string hexadecimal(std::uint32_t value) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", value);
  return text;
}

std::string registerText(const OperandInfo &operand, std::uint32_t number) {
  const bool isAux = operand.kind == OperandKind::AuxRegister;
  const std::uint32_t first = operand.registers == 3 ? number + 1 : number;
  return textOf({isAux, static_cast<std::uint8_t>(first), operand.registers})
      .append(broadcastText(operand.broadcast))
      .append(suffixText(operand.suffix));
}

constexpr unsigned kUpperCsrs = 256;

/// Uses a name only if it means this index in both contexts, because the instruction does not say
/// which context runs it.
std::string csrText(std::uint32_t index) {
  const CsrInfo *worker = csrAt(Context::Worker, index, Architecture::Ipu21);
  const CsrInfo *supervisor = csrAt(Context::Supervisor, index, Architecture::Ipu21);
  const bool isOfBoth = worker && supervisor && worker->name == supervisor->name;
  return isOfBoth ? "$" + std::string(worker->name) : std::to_string(index);
}

std::string upperCsrText(std::uint32_t index) {
  // The name of a later generation would not assemble for an earlier one.
  const CsrInfo *csr = csrAt(Context::Worker, kUpperCsrs + index, Architecture::Ipu1);
  return csr ? "$" + std::string(csr->name) : std::to_string(index);
}

std::string immediateText(const OperandInfo &operand, std::uint32_t value) {
  constexpr unsigned kShort = 8; // narrow fields hold counts; wider ones may also hold masks
  switch (operand.kind) {
  case OperandKind::Signed:
    return std::to_string(static_cast<std::int32_t>(value));
  case OperandKind::High:
  case OperandKind::CodeAddress:
    return hexadecimal(value);
  case OperandKind::Csr:
    return csrText(value);
  case OperandKind::UpperCsr:
    return upperCsrText(value);
  default:
    return operand.bits > kShort && value > 0xFFF ? hexadecimal(value) : std::to_string(value);
  }
}

/// Returns true if another form of the mnemonic sign-extends an immediate of equal width.
bool hasSignedTwin(const InstructionInfo &info) {
  for (const Opcode form : formsOf(info.mnemonic))
    for (const OperandInfo &operand : infoOf(form).shape())
      if (operand.kind == OperandKind::Signed && operand.bits == 16)
        return true;
  return false;
}

} // namespace

std::string operandText(const Instruction &instruction, unsigned operand) {
  const OperandInfo &info = infoOf(instruction.opcode).operands[operand];
  return info.registers != 0 ? registerText(info, instruction.operands[operand])
                             : immediateText(info, instruction.operands[operand]);
}

std::string mnemonicText(const Instruction &instruction) {
  const InstructionInfo &info = infoOf(instruction.opcode);
  std::string text(info.mnemonic);
  for (unsigned i = 0; i < info.operandCount; ++i) {
    const OperandInfo &operand = info.operands[i];
    const bool fitsBoth = operand.kind == OperandKind::Unsigned && operand.bits == 16 &&
                          instruction.operands[i] < 0x8000;
    if (fitsBoth && hasSignedTwin(info))
      text += 'z';
  }
  return text;
}

std::string textOf(const Instruction &instruction) {
  if (instruction.opcode == Opcode::Invalid)
    return "(invalid)";
  if (instruction == Instruction{Opcode::Setzi, {kIgnoredMain, 0}})
    return "nop";
  if (instruction == Instruction{Opcode::AuxSetzi, {kIgnoredAux, 0}})
    return "fnop";
  std::string text = mnemonicText(instruction);
  for (unsigned i = 0; i < infoOf(instruction.opcode).operandCount; ++i)
    text += (i == 0 ? " " : ", ") + operandText(instruction, i);
  return text;
}

} // namespace copse::isa
