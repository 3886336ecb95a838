#pragma once

#include "isa/architecture.hpp"
#include "isa/instruction.hpp"
#include "operand.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace copse::assembler {

/// What instructions are checked against.
struct Mode {
  isa::Architecture architecture = isa::Architecture::Ipu2;
  isa::Context context = isa::Context::Worker;
};

/// An instruction whose operands are known but for the one that `open` names: a label, or a
/// difference of labels that are not placed yet.
struct ChosenInstruction {
  isa::Instruction instruction;
  std::optional<unsigned> openOperand;
  Expression open;
};

/// Finds the encoding that fits a mnemonic with its operands; pseudo-instructions become the one
/// that they stand for.
/// \throws StatementError that says which operand does not fit and why
ChosenInstruction chooseInstruction(std::string_view mnemonic, std::vector<Operand> operands,
                                    const SymbolTable &symbols, const Mode &mode);

/// "immediate 4096 is out of range 0..4095", if it is.
std::string rangeError(const isa::OperandInfo &operand, std::int64_t value);

/// The immediate as the operand's 32 bits.
/// \returns nothing if it is out of range
std::optional<std::uint32_t> immediateFor(const isa::OperandInfo &operand, std::int64_t value);

} // namespace copse::assembler
