#pragma once

#include <llvm/IR/PassManager.h>
#include <string>

namespace copse::popc {

/// Messages about code that runs here, but not on a tile, or differently.
struct TileLimitMessages {
  std::string errors; ///< about thread_local variables, which the tile does not have
  /// About variables that code writes, as each tile of the chip has its own, but all tiles and
  /// threads of a process share one here; and about uses of the heap.
  std::string warnings;
};

/// Finds such code. The module must be simplified, so that a variable that is never written is a
/// constant.
class TileLimitsPass : public llvm::PassInfoMixin<TileLimitsPass> {
public:
  /// Keeps a reference to \p messages.
  /// \param source  name of the module's file
  TileLimitsPass(std::string source, TileLimitMessages &messages)
      : source_(std::move(source)), messages_(messages) {}
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);

private:
  std::string source_;
  TileLimitMessages &messages_;
};

} // namespace copse::popc
