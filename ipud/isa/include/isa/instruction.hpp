#pragma once

#include "isa/architecture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace copse::isa {

/// One encoding of the tile. Names and rows: instructions.def.
enum class Opcode : std::uint16_t {
#define INSTRUCTION(opcode, ...) opcode,
#include "isa/instructions.def"
#undef INSTRUCTION
  Invalid ///< a word that is no instruction of the architecture; also the number of opcodes
};

inline constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::Invalid);
inline constexpr std::size_t kMaxOperands = 5;

/// Set in both words of a bundle; the main word stands at the lower address.
inline constexpr std::uint32_t kBundleBit = 0x80000000;

enum class OperandKind : std::uint8_t {
  MainRegister,
  AuxRegister,
  Unsigned,    ///< zero-extended
  Signed,      ///< sign-extended
  High,        ///< a multiple of 2^20
  CodeAddress, ///< [bytes], a multiple of 4
  Csr,         ///< index of a CSR of the own context
  UpperCsr,    ///< index of one of a worker's upper CSRs, less 256
  RepeatBody   ///< number of bundles, less one
};

/// What an instruction does to a register operand beside using it as an address or a value.
enum class Suffix : std::uint8_t { None, Step, Increment, At, Shift };

/// Which part of a source register stands for all elements.
enum class Broadcast : std::uint8_t { None, Element, Lower, Upper };

/// Where some bits of an operand stand in the word.
struct BitRange {
  std::uint8_t low;
  std::uint8_t width;
};

struct OperandInfo {
  std::string_view name; ///< as in instructions.def: "D", "Base"; empty for immediates
  OperandKind kind = OperandKind::Unsigned;
  std::uint8_t registers = 0; ///< 1, 2 or 4; 3: the upper three of a quad; 0: an immediate
  Suffix suffix = Suffix::None;
  Broadcast broadcast = Broadcast::None;
  bool isRead = false;    ///< the register's old value matters
  bool isWritten = false; ///< also where the instruction steps it
  std::uint8_t pieceCount = 0;
  std::array<BitRange, 3> pieces{}; ///< the most significant first
  std::uint8_t bits = 0;            ///< of the field, all pieces together
};

/// Where an instruction may stand.
enum class Issue : std::uint8_t {
  Any,
  Worker,
  WorkerSolo,
  Supervisor,
  SupervisorSolo,
  SupervisorPayload,
  Aux
};

struct InstructionInfo {
  std::string_view mnemonic;
  Issue issue = Issue::Any;
  Architecture since = Architecture::Ipu1;
  std::uint8_t accessBytes = 0; ///< of the (first) memory access, the unit of its offset; 0: none
  std::uint8_t operandCount = 0;
  std::array<OperandInfo, kMaxOperands> operands{};
  std::uint32_t value = 0; ///< of the fixed bits
  std::uint32_t mask = 0;

  bool isAux() const { return issue == Issue::Aux; }
  /// Never part of a bundle.
  bool isSolo() const {
    return issue == Issue::WorkerSolo || issue == Issue::SupervisorSolo ||
           issue == Issue::SupervisorPayload;
  }
  bool isLegalIn(Context context) const;
  /// 4, or 8 where a second word of payload belongs to the instruction.
  unsigned bytes() const { return issue == Issue::SupervisorPayload ? 8 : 4; }
  std::span<const OperandInfo> shape() const { return {operands.data(), operandCount}; }
};

/// The row of an opcode that is not Invalid.
const InstructionInfo &infoOf(Opcode opcode);

/// All encodings with a mnemonic, in the order of the table; empty for an unknown one.
std::span<const Opcode> formsOf(std::string_view mnemonic);

/// An instruction with its operands in the order of the assembly language: for a register its
/// number, the lowest of a group (the low bits that a group's field ignores are gone; of the upper
/// three registers of a quad, the quad's own lowest); for an immediate its value, extended to 32
/// bits as its kind says.
struct Instruction {
  Opcode opcode = Opcode::Invalid;
  std::array<std::uint32_t, kMaxOperands> operands{};

  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// \param word  bit 31, which only tells bundles, is ignored
/// \returns Opcode::Invalid for what \p architecture does not have
Instruction decode(std::uint32_t word, Architecture architecture);

/// The word of an instruction, without bit 31 (but sendpicp's own). Each operand must be
/// encodable(); bits that an operand has no room for are lost.
std::uint32_t encode(const Instruction &instruction);

/// Whether an operand can have \p value: register numbers in step with their group, immediates in
/// their range (a Signed one as two's complement of 32 bits).
bool encodable(const OperandInfo &operand, std::uint32_t value);

/// The least and the greatest value of an immediate operand, for messages.
struct ImmediateRange {
  std::int64_t least;
  std::int64_t greatest;
};
ImmediateRange rangeOf(const OperandInfo &operand);

} // namespace copse::isa
