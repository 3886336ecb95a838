#include "isa/instruction.hpp"

#include <vector>

namespace copse::isa {
namespace {

constexpr std::uint32_t lowBits(unsigned count) {
  return count >= 32 ? ~0U : (std::uint32_t{1} << count) - 1;
}

std::uint32_t gather(const OperandInfo &operand, std::uint32_t word) {
  std::uint32_t field = 0;
  for (unsigned i = 0; i < operand.pieceCount; ++i) {
    const BitRange piece = operand.pieces[i];
    field = field << piece.width | ((word >> piece.low) & lowBits(piece.width));
  }
  return field;
}

std::uint32_t scatter(const OperandInfo &operand, std::uint32_t field) {
  std::uint32_t word = 0;
  for (unsigned i = operand.pieceCount; i-- > 0;) {
    const BitRange piece = operand.pieces[i];
    word |= (field & lowBits(piece.width)) << piece.low;
    field >>= piece.width;
  }
  return word;
}

constexpr unsigned kRegisterBits = 4;

/// Returns the register number in a field, with the low bits that a group ignores cleared.
std::uint32_t registerFrom(const OperandInfo &operand, std::uint32_t field) {
  if (operand.registers == 3) // the field counts quads
    return (field * 4) & lowBits(kRegisterBits);
  return (field << (kRegisterBits - operand.bits)) & ~(operand.registers - std::uint32_t{1});
}

std::uint32_t fieldOfRegister(const OperandInfo &operand, std::uint32_t number) {
  return operand.registers == 3 ? number / 4 : number >> (kRegisterBits - operand.bits);
}

constexpr unsigned kHighShift = 20;
constexpr unsigned kAddressShift = 2;

std::uint32_t valueFrom(const OperandInfo &operand, std::uint32_t field) {
  switch (operand.kind) {
  case OperandKind::MainRegister:
  case OperandKind::AuxRegister:
    return registerFrom(operand, field);
  case OperandKind::Signed: {
    const std::uint32_t sign = std::uint32_t{1} << (operand.bits - 1);
    return (field ^ sign) - sign;
  }
  case OperandKind::High:
    return field << kHighShift;
  case OperandKind::CodeAddress:
    return field << kAddressShift;
  default:
    return field;
  }
}

std::uint32_t fieldOf(const OperandInfo &operand, std::uint32_t value) {
  switch (operand.kind) {
  case OperandKind::MainRegister:
  case OperandKind::AuxRegister:
    return fieldOfRegister(operand, value);
  case OperandKind::High:
    return value >> kHighShift;
  case OperandKind::CodeAddress:
    return value >> kAddressShift;
  default:
    return value;
  }
}

/// Finds opcodes by the seven major bits of a word, some of which every encoding fixes. An opcode
/// is listed under each value of these bits that its mask allows.
class MajorIndex {
public:
  MajorIndex() {
    for (std::uint32_t major = 0; major < kMajors; ++major)
      for (std::size_t i = 0; i < kOpcodes; ++i) {
        const auto opcode = static_cast<Opcode>(i);
        const InstructionInfo &info = infoOf(opcode);
        const std::uint32_t mask = info.mask & (lowBits(7) << kShift);
        if (opcode != Opcode::Sendpicp && (major << kShift & mask) == (info.value & mask))
          rows_[major].push_back(opcode);
      }
  }
  const std::vector<Opcode> &of(std::uint32_t word) const {
    return rows_[(word >> kShift) & lowBits(7)];
  }

private:
  static constexpr unsigned kShift = 24;
  static constexpr std::uint32_t kMajors = 128;
  std::array<std::vector<Opcode>, kMajors> rows_;
};

/// Recognises sendpicp, which has bit 31 set although it is not half of a bundle.
bool isSendpicp(std::uint32_t word, Architecture architecture) {
  const InstructionInfo &info = infoOf(Opcode::Sendpicp);
  return architecture >= info.since && (word & info.mask) == info.value;
}

Opcode opcodeOf(std::uint32_t word, Architecture architecture) {
  static const MajorIndex index;
  if (isSendpicp(word, architecture))
    return Opcode::Sendpicp;
  for (const Opcode opcode : index.of(word)) {
    const InstructionInfo &info = infoOf(opcode);
    if ((word & info.mask) == info.value)
      return architecture >= info.since ? opcode : Opcode::Invalid;
  }
  return Opcode::Invalid;
}

bool isRegister(const OperandInfo &operand) { return operand.registers != 0; }

} // namespace

Instruction decode(std::uint32_t word, Architecture architecture) {
  Instruction instruction{opcodeOf(word, architecture), {}};
  if (instruction.opcode == Opcode::Invalid)
    return instruction;
  const InstructionInfo &info = infoOf(instruction.opcode);
  for (unsigned i = 0; i < info.operandCount; ++i)
    instruction.operands[i] = valueFrom(info.operands[i], gather(info.operands[i], word));
  return instruction;
}

std::uint32_t encode(const Instruction &instruction) {
  const InstructionInfo &info = infoOf(instruction.opcode);
  std::uint32_t word = info.value;
  for (unsigned i = 0; i < info.operandCount; ++i)
    word |= scatter(info.operands[i], fieldOf(info.operands[i], instruction.operands[i]));
  return word;
}

bool encodable(const OperandInfo &operand, std::uint32_t value) {
  if (isRegister(operand)) {
    const std::uint32_t step = operand.registers == 3 ? 4 : operand.registers;
    return value <= lowBits(kRegisterBits) && value % step == 0;
  }
  const std::uint32_t kept = operand.kind == OperandKind::Signed
                                 ? fieldOf(operand, value) & lowBits(operand.bits)
                                 : fieldOf(operand, value);
  return kept <= lowBits(operand.bits) && valueFrom(operand, kept) == value;
}

ImmediateRange rangeOf(const OperandInfo &operand) {
  const std::int64_t values = std::int64_t{1} << operand.bits;
  switch (operand.kind) {
  case OperandKind::Signed:
    return {-values / 2, values / 2 - 1};
  case OperandKind::High:
    return {0, (values - 1) << kHighShift};
  case OperandKind::CodeAddress:
    return {0, (values - 1) << kAddressShift};
  default:
    return {0, values - 1};
  }
}

} // namespace copse::isa
