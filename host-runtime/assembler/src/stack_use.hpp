#pragma once

#include "assembler/object.hpp"

namespace copse::assembler {

/// Whether the code of \p section plainly uses no stack: nothing in it names the stack pointer ($m11)
/// or calls a function. Such a function needs no declaration of its stack (guide, 7.3.1, asks for one
/// because an assembler cannot tell in general; here it can).
bool usesNoStack(const Section &section);

} // namespace copse::assembler
