#pragma once

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Code keeps pointers in integers of 32 bits for instructions of the tile. Makes such integers
/// addresses of the tile. The module must be unoptimised output of clang.
struct TilePointersPass : llvm::PassInfoMixin<TilePointersPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace copse::popc
