#pragma once

#include "assembly_statements.hpp"
#include "isa/architecture.hpp"

#include "popc/stand_in.hpp"

#include <string>
#include <vector>

namespace copse::popc {

/// LLVM's text of a module whose inline assembly has been replaced by calls of the interpreter for
/// tile instructions (wire/codelet_abi.hpp, kAssemblySymbol). Each call has its instructions
/// assembled. Statements without an instruction are removed.
struct ModuleWithAssembly {
  std::string text;
  std::string warnings;
  TileCodeUse uses;
  /// Source places of statements for supervisors, which only a supervisor vertex may execute.
  std::vector<std::string> supervisorPlaces;
};

/// Replaces the inline assembly of \p module.
/// \param module  the unoptimised output of clang for \p source
/// \throws CompileError  with all errors, which name lines of the source
ModuleWithAssembly withInlineAssembly(const std::string &module, const SourceWithAssembly &source,
                                      isa::Architecture architecture);

} // namespace copse::popc
