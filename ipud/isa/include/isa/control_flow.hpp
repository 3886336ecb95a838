#pragma once

#include "isa/instruction.hpp"

namespace copse::isa {

/// Returns true if an instruction may leave straight-line code: a branch, call, repeat or exit.
bool isControl(Opcode opcode);

/// Returns true if an instruction raises INVALID_INSTR in the body of a repeat.
bool isForbiddenInRepeat(Opcode opcode);

} // namespace copse::isa
