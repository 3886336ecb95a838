#pragma once

#include "assembly_statements.hpp"
#include "isa/architecture.hpp"

#include "popc/stand_in.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// LLVM's text of a module in which statements of inline assembly call the interpreter of tile
/// instructions (wire/codelet_abi.hpp, kAssemblySymbol), each with its instructions assembled.
/// Statements without an instruction vanish.
struct ModuleWithAssembly {
  std::string text;
  std::string warnings;
  TileCodeUse uses;
  /// Where statements for the supervisor stand: none but a supervisor vertex may get there.
  std::vector<std::string> supervisorPlaces;
};

/// \param module  as clang writes it, before any optimisation, of \p source
/// \throws CompileError with all that is wrong, which names lines of the source
ModuleWithAssembly withInlineAssembly(const std::string &module, const SourceWithAssembly &source,
                                      isa::Architecture architecture);

} // namespace copse::popc
