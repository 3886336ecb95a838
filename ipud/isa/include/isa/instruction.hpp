#pragma once

#include "isa/architecture.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace copse::isa {

/// An encoding of a tile instruction. instructions.def lists the names and properties.
enum class Opcode : std::uint16_t {
#define INSTRUCTION(opcode, ...) opcode,
#include "isa/instructions.def"
#undef INSTRUCTION
  /// A word that is not an instruction of the architecture; also the number of opcodes.
  Invalid
};

inline constexpr std::size_t kOpcodes = static_cast<std::size_t>(Opcode::Invalid);
inline constexpr std::size_t kMaxOperands = 5;

/// Set in both words of a bundle. The main instruction is the word at the lower address.
inline constexpr std::uint32_t kBundleBit = 0x80000000;

enum class OperandKind : std::uint8_t {
  MainRegister,
  AuxRegister,
  Unsigned,    ///< zero-extended
  Signed,      ///< sign-extended
  High,        ///< a multiple of 2^20
  CodeAddress, ///< [bytes], a multiple of 4
  Csr,         ///< index of a CSR of the own context
  UpperCsr,    ///< index of an upper CSR of a worker, minus 256
  RepeatBody   ///< number of bundles, minus 1
};

/// A side effect on a register operand, besides its use as an address or a value.
enum class Suffix : std::uint8_t { None, Step, Increment, At, Shift };

/// The part of a source register that is used for all elements.
enum class Broadcast : std::uint8_t { None, Element, Lower, Upper };

/// A bit field of the instruction word that holds a part of an operand.
struct BitRange {
  std::uint8_t low;
  std::uint8_t width;
};

/// An operand of an instruction: a register, a group of registers or an immediate, and the bits of
/// the word that hold it.
struct OperandInfo {
  std::string_view name; ///< as in instructions.def: "D", "Base"; empty for immediates
  OperandKind kind = OperandKind::Unsigned;
  std::uint8_t registers = 0; ///< 1, 2 or 4; 3: the upper three of a quad; 0: an immediate
  Suffix suffix = Suffix::None;
  Broadcast broadcast = Broadcast::None;
  bool isRead = false;    ///< the register's old value matters
  bool isWritten = false; ///< also set if the instruction steps the register
  std::uint8_t pieceCount = 0;
  std::array<BitRange, 3> pieces{}; ///< the most significant first
  std::uint8_t bits = 0;            ///< number of bits in all pieces
};

/// The contexts and slots in which an instruction may be issued.
enum class Issue : std::uint8_t {
  Any,
  Worker,
  WorkerSolo,
  Supervisor,
  SupervisorSolo,
  SupervisorPayload,
  Aux
};

/// The facts about one encoding, from a row of instructions.def. A mnemonic may have several
/// encodings, for different operands.
struct InstructionInfo {
  std::string_view mnemonic;
  Issue issue = Issue::Any;
  Architecture since = Architecture::Ipu1;
  /// The size of the (first) memory access, which is the unit of its offset [bytes]; 0: no access.
  std::uint8_t accessBytes = 0;
  std::uint8_t operandCount = 0;
  std::array<OperandInfo, kMaxOperands> operands{};
  std::uint32_t value = 0; ///< values of the fixed bits
  std::uint32_t mask = 0;

  bool isAux() const { return issue == Issue::Aux; }
  /// Returns true if the instruction cannot be part of a bundle.
  bool isSolo() const {
    return issue == Issue::WorkerSolo || issue == Issue::SupervisorSolo ||
           issue == Issue::SupervisorPayload;
  }
  bool isLegalIn(Context context) const;
  /// Returns 4, or 8 if the instruction has a second word of payload.
  unsigned bytes() const { return issue == Issue::SupervisorPayload ? 8 : 4; }
  std::span<const OperandInfo> shape() const { return {operands.data(), operandCount}; }
};

/// Returns the properties of \p opcode, which must not be Invalid.
const InstructionInfo &infoOf(Opcode opcode);

/// Returns all encodings of a mnemonic in the order of the table; empty if the mnemonic is unknown.
std::span<const Opcode> formsOf(std::string_view mnemonic);

/// A decoded instruction, with its operands in assembly order. A register operand is its number, or
/// the lowest number of a group; the low bits that a group's field ignores are cleared, and the
/// upper three registers of a quad are given by the quad's lowest. An immediate operand is its
/// value, extended to 32 bits according to its kind.
struct Instruction {
  Opcode opcode = Opcode::Invalid;
  std::array<std::uint32_t, kMaxOperands> operands{};

  friend bool operator==(const Instruction &, const Instruction &) = default;
};

/// \param word  bit 31, which only marks bundles, is ignored
/// \returns Opcode::Invalid for a word that is not an instruction of \p architecture
Instruction decode(std::uint32_t word, Architecture architecture);

/// Encodes an instruction, with bit 31 clear (except in sendpicp, which has it set). Each operand
/// must be encodable(); excess bits are dropped.
std::uint32_t encode(const Instruction &instruction);

/// Returns true if an operand can have \p value: a register number must be aligned to its group,
/// and an immediate within its range (a Signed immediate in 32-bit two's complement).
bool encodable(const OperandInfo &operand, std::uint32_t value);

/// The least and the greatest value of an immediate operand, for messages.
struct ImmediateRange {
  std::int64_t least;
  std::int64_t greatest;
};
ImmediateRange rangeOf(const OperandInfo &operand);

} // namespace copse::isa
