#pragma once

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Removes the processor from each function, so that the command line decides it, and the text that
/// is counted is the same on all machines. A feature that distinguishes entries of codelets stays
/// (entry_points.cpp).
struct AnyProcessorPass : llvm::PassInfoMixin<AnyProcessorPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace copse::popc
