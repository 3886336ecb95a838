#pragma once

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Keeps the vertex of a compute() known to the debugger to the function's end, where optimised
/// code would have given up its register.
struct VertexInSightPass : llvm::PassInfoMixin<VertexInSightPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace copse::popc
