#pragma once

#include "isa/instruction.hpp"

namespace copse::ipud {

/// Whether an instruction raises INVALID_INSTR inside the body of a repeat.
bool isForbiddenInRepeat(isa::Opcode opcode);

} // namespace copse::ipud
