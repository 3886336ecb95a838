#pragma once

#include "assembler/object.hpp"

#include <vector>

namespace copse::assembler {

/// Returns true if the code of \p section evidently uses no stack, because it neither names the
/// stack pointer ($m11) nor calls a function. Such a function needs no stack declaration. (The
/// guide, 7.3.1, requires one because an assembler cannot tell in general.)
bool usesNoStack(const Section &section);

/// Returns the stack sizes that a compiler has written into the section `.stack_sizes`
/// (-fstack-size-section): for each function its address and, as ULEB128, the bytes that it uses
/// itself. `popc -S` writes them. Functions that a directive of the source declares are left out.
std::vector<StackUse> emittedStackUses(const Object &object);

} // namespace copse::assembler
