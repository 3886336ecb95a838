#pragma once

#include "assembler/object.hpp"

#include <string>

namespace copse::assembler {

/// Assembly source of an object: assembling it for the same architecture gives the same sections,
/// byte for byte, with the same relocations, symbols and stack sizes.
std::string disassemble(const Object &object);

} // namespace copse::assembler
