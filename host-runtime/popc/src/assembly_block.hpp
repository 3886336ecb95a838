#pragma once

#include "assembly_statements.hpp"
#include "isa/architecture.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// The instructions of one statement of inline assembly.
struct AssembledBlock {
  /// A setzi whose immediate becomes the address of `name` when a program is loaded.
  struct Symbol {
    std::size_t word = 0; ///< index of `words`
    std::string name;
  };

  std::vector<std::uint32_t> words; ///< for address wire::kAssemblyAddress
  std::vector<Symbol> symbols;      ///< undefined symbols of the statement, ascending by word
  bool isSupervisor = false;        ///< has instructions that workers do not have
  std::string warnings;
};

/// Assembles one statement.
/// \param places  source places of the lines of \p text; lines without a place follow the last one
/// \throws CompileError  which names lines of the source
AssembledBlock assembledBlock(const std::string &text, const std::vector<SourcePlace> &places,
                              isa::Architecture architecture);

/// Returns the cycles of a sequence of nop and fnop instructions.
/// \returns nothing if \p words contains other instructions
std::optional<unsigned> idleCyclesOf(const std::vector<std::uint32_t> &words,
                                     isa::Architecture architecture);

} // namespace copse::popc
