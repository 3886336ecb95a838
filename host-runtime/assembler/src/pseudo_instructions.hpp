#pragma once

#include "operand.hpp"

#include <string_view>
#include <vector>

namespace copse::assembler {

/// Which of several encodings a spelling asks for.
enum class Extension : std::uint8_t { Any, Signed, Zero };

/// An instruction as it is written, or as it could have been.
struct Spelling {
  std::string_view mnemonic;
  Extension extension = Extension::Any;
  std::vector<Operand> operands;
};

/// The instruction that a pseudo-instruction stands for ("mov", "zero", "adds"); others as they
/// are.
/// \throws StatementError for a move that no instruction does
Spelling meantBy(std::string_view mnemonic, std::vector<Operand> operands);

} // namespace copse::assembler
