#pragma once

#include "assembly_statements.hpp"
#include "isa/architecture.hpp"

#include "popc/stand_in.hpp"

#include <llvm/IR/PassManager.h>
#include <string>
#include <vector>

namespace copse::popc {

/// Tells InlineAssemblyPass what it must know of a source besides its module.
struct AssemblySource {
  SourceWithAssembly expanded;
  isa::Architecture architecture;
  bool hasSupervisors = false; ///< it has supervisor vertices, whose C++ code takes no time
};

/// The results of InlineAssemblyPass, besides the module.
struct InlineAssemblyUse {
  std::string errors, warnings; ///< which name lines of the source
  TileCodeUse tileCode;
  /// Source places of statements for supervisors, which only a supervisor vertex may execute.
  std::vector<std::string> supervisorPlaces;
};

/// This machine cannot execute the tile's instructions. Replaces inline assembly by calls of the
/// interpreter for tile instructions (wire/codelet_abi.hpp, kAssemblySymbol). Each call has its
/// instructions assembled. A statement whose instructions do nothing passes its inputs to its
/// outputs. If there are errors, the module is not usable.
///
/// The module must be unoptimised output of clang, in which no statement has been moved or copied.
class InlineAssemblyPass : public llvm::PassInfoMixin<InlineAssemblyPass> {
public:
  /// Keeps references to both.
  InlineAssemblyPass(const AssemblySource &source, InlineAssemblyUse &use)
      : source_(source), use_(use) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  const AssemblySource &source_;
  InlineAssemblyUse &use_;
};

} // namespace copse::popc
