#pragma once

#include "isa/instruction.hpp"

namespace copse::isa {

/// Returns whether an instruction may leave the stretch of code that it stands in: branches, calls,
/// repeats and exits.
bool isControl(Opcode opcode);

/// Returns whether an instruction raises INVALID_INSTR inside the body of a repeat.
bool isForbiddenInRepeat(Opcode opcode);

} // namespace copse::isa
