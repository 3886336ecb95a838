#pragma once

#include "isa/instruction.hpp"

#include <string>

namespace copse::isa {

/// Returns one operand in assembly syntax: "$a0:1", "$m3+=", "$WSR", "0x4c010", "-7".
std::string operandText(const Instruction &instruction, unsigned operand);

/// Returns the mnemonic that makes an assembler choose this encoding even if several are possible:
/// "addz" for an `add` whose zero-extended immediate also fits the sign-extended form.
std::string mnemonicText(const Instruction &instruction);

/// Returns the whole instruction: "ld64step $a0:1, $mzero, $m2+=, 1". Opcode::Invalid gives
/// "(invalid)".
std::string textOf(const Instruction &instruction);

} // namespace copse::isa
