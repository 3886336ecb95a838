#pragma once

#include <llvm/IR/PassManager.h>
#include <optional>
#include <string>

/// Native code may call functions of tile code. These are known only when a graph is compiled;
/// until then a module calls them by name (wire::kTileFunctionSymbol).
namespace copse::popc {

/// Returns the line of LLVM's text that declares \p function, with all that a caller's code depends
/// on.
/// \returns nothing if it cannot be a function of tile code, because its arguments or its result do
///   not fit into the registers of a call: $m0 to $m3 for integers and pointers, $a0 to $a5 for
///   floats and halves
std::optional<std::string> declarationForTile(const llvm::Function &function);

/// Gives each function that a module declares a body, which calls the function of tile code with
/// the same name.
struct TileFunctionsPass : llvm::PassInfoMixin<TileFunctionsPass> {
  llvm::PreservedAnalyses run(llvm::Module &module, llvm::ModuleAnalysisManager &);
};

} // namespace copse::popc
