#pragma once

#include "isa/instruction.hpp"

#include <string>

namespace copse::isa {

/// One operand as the assembly language spells it: "$a0:1", "$m3+=", "$WSR", "0x4c010", "-7".
std::string operandText(const Instruction &instruction, unsigned operand);

/// The mnemonic that makes an assembler choose this very encoding, where it has a choice: "addz"
/// for an `add` whose zero-extended immediate would fit the sign-extended form, too.
std::string mnemonicText(const Instruction &instruction);

/// The whole instruction: "ld64step $a0:1, $mzero, $m2+=, 1". Opcode::Invalid: "(invalid)".
std::string textOf(const Instruction &instruction);

} // namespace copse::isa
