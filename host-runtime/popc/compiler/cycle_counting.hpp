#pragma once

#include "popc/vertex_type.hpp"

#include <llvm/IR/PassManager.h>

namespace copse::popc {

/// Modelled time must come from the code of codelets. Inserts code that counts worker cycles: each
/// function adds the cycles that its blocks take on the tile to the thread's count
/// (wire/codelet_abi.hpp, kCycleOffsetSymbol). A function counts in variables of its own, which
/// optimisers turn into products outside of counted loops. It adds them to the thread's count where
/// it returns, and before calls that may read the count.
///
/// The module must be simplified, but neither vectorised nor unrolled: its instructions are taken
/// for what the tile's compiler would make of the source.
class CycleCountingPass : public llvm::PassInfoMixin<CycleCountingPass> {
public:
  explicit CycleCountingPass(Architecture arch) : arch_(arch) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &analyses);

private:
  Architecture arch_;
};

} // namespace copse::popc
