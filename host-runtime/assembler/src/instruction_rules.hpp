#pragma once

#include "isa/architecture.hpp"
#include "isa/instruction.hpp"

#include <string>

namespace copse::assembler {

/// Returns the newest architecture whose instructions are accepted in code for \p architecture.
/// Sources for Mk1 and Mk2 contain functions for Mk2 that are not called on Mk1; reaching one
/// faults. Instructions that only ipu21 has are refused elsewhere.
isa::Architecture writableFor(isa::Architecture architecture);

/// Returns why an accepted instruction faults when it is reached; empty if it does not.
std::string faultOf(const isa::Instruction &instruction, isa::Architecture architecture);

/// \throws StatementError if an instruction writes a register twice, or has an index that its rules
///   forbid
void checkInstruction(const isa::Instruction &instruction, isa::Architecture architecture);

/// \throws StatementError if both write one register, or if they cannot form a bundle
void checkBundle(const isa::Instruction &main, const isa::Instruction &aux);

} // namespace copse::assembler
