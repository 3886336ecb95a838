#pragma once

#include "isa/architecture.hpp"
#include "isa/instruction.hpp"
#include "operand.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// The rules that instructions are checked against.
struct Mode {
  isa::Architecture architecture = isa::Architecture::Ipu2;
  isa::Context context = isa::Context::Worker;
};

/// An instruction with all operands known, except the one that `open` describes: a label, or a
/// difference of labels without addresses.
struct ChosenInstruction {
  isa::Instruction instruction;
  std::optional<unsigned> openOperand;
  Expression open;
};

/// Finds the encoding for a mnemonic with its operands, and replaces pseudo-instructions.
/// \throws StatementError saying which operand does not fit, and why
ChosenInstruction chooseInstruction(std::string_view mnemonic, std::vector<Operand> operands,
                                    const SymbolTable &symbols, const Mode &mode);

/// Returns a text like "immediate 4096 is out of range 0..4095"; empty if \p value is in range.
std::string rangeError(const isa::OperandInfo &operand, std::int64_t value);

/// Returns the immediate as 32 bits.
/// \returns nothing if it is out of range
std::optional<std::uint32_t> immediateFor(const isa::OperandInfo &operand, std::int64_t value);

} // namespace copse::assembler
