#pragma once

#include "assembler/object.hpp"

#include <string>

namespace copse::assembler {

/// Returns assembly source for an object. Assembling it for the object's architecture gives
/// byte-identical sections, and equal relocations, symbols and stack sizes.
std::string disassemble(const Object &object);

} // namespace copse::assembler
