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

  std::vector<std::uint32_t> words; ///< at wire::kAssemblyAddress
  std::vector<Symbol> symbols;      ///< that the statement does not define, ascending by word
  bool isSupervisor = false;        ///< it has instructions that workers do not have
  std::string warnings;
};

/// \param places  of the lines of \p text; those that are missing follow the last
/// \throws CompileError, which names lines of the source
AssembledBlock assembledBlock(const std::string &text, const std::vector<SourcePlace> &places,
                              isa::Architecture architecture);

/// The cycles that instructions take which do nothing: nop and fnop.
/// \returns nothing if \p words has others
std::optional<unsigned> idleCyclesOf(const std::vector<std::uint32_t> &words,
                                     isa::Architecture architecture);

} // namespace copse::popc
