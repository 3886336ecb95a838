#pragma once

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Keeps functions that stand for an instruction of the tile from being inlined, so that the
/// counting of cycles finds their calls.
struct BuiltinsApartPass : llvm::PassInfoMixin<BuiltinsApartPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

/// Lets these functions be inlined again.
struct BuiltinsInlinePass : llvm::PassInfoMixin<BuiltinsInlinePass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace copse::popc
