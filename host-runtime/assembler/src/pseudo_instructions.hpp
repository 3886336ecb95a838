#pragma once

#include "operand.hpp"

#include <string_view>
#include <vector>

namespace copse::assembler {

/// The extension of an immediate that a mnemonic requests.
enum class Extension : std::uint8_t { Any, Signed, Zero };

/// An instruction as it is written, or as it could have been written.
struct Spelling {
  std::string_view mnemonic;
  Extension extension = Extension::Any;
  std::vector<Operand> operands;
};

/// Returns the instruction that a pseudo-instruction ("mov", "zero", "adds") stands for; other
/// instructions are returned unchanged.
/// \throws StatementError for a move that no instruction implements
Spelling meantBy(std::string_view mnemonic, std::vector<Operand> operands);

} // namespace copse::assembler
