#pragma once

#include "isa/architecture.hpp"
#include "isa/instruction.hpp"

#include <string>

namespace copse::assembler {

/// The newest architecture whose instructions may stand in code for \p architecture. Sources for
/// Mk1 and Mk2 give Mk1 functions of Mk2 as well, which nobody calls there; one that is reached
/// faults. What only ipu21 has is refused elsewhere.
isa::Architecture writableFor(isa::Architecture architecture);

/// Why an instruction that is taken will fault where it is reached; empty: it will not.
std::string faultOf(const isa::Instruction &instruction, isa::Architecture architecture);

/// \throws StatementError if an instruction writes a register twice, or has an index that its rules
/// forbid
void checkInstruction(const isa::Instruction &instruction, isa::Architecture architecture);

/// \throws StatementError if both write one register, or may not stand together
void checkBundle(const isa::Instruction &main, const isa::Instruction &aux);

} // namespace copse::assembler
