#pragma once

#include "assembler/object.hpp"

namespace copse::assembler {

/// Returns true if the code of \p section evidently uses no stack, because it neither names the
/// stack pointer ($m11) nor calls a function. Such a function needs no stack declaration. (The
/// guide, 7.3.1, requires one because an assembler cannot tell in general.)
bool usesNoStack(const Section &section);

} // namespace copse::assembler
