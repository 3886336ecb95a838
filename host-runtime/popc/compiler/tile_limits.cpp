#include "tile_limits.hpp"

#include "popc/demangled.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace copse::popc {
namespace {

using llvm::StringRef;

/// Returns true for a variable of the user that is no constant. Excluded are variables of popc and
/// of the standard library, and marks that a function's variable is initialised.
bool isVariable(const llvm::GlobalVariable &variable) {
  const StringRef name = variable.getName();
  return !variable.isConstant() && !variable.isDeclaration() &&
         !variable.isExternallyInitialized() && !name.starts_with("llvm.") &&
         !name.contains("copse") && !name.starts_with("_ZGV") && !name.starts_with("_ZSt") &&
         !name.starts_with("_ZNSt");
}

/// Returns true if an instruction does more with \p value than load it.
bool isChanged(const llvm::Value &value) {
  return llvm::any_of(value.users(), [](const llvm::User *user) {
    if (llvm::isa<llvm::Instruction>(user))
      return !llvm::isa<llvm::LoadInst>(user);
    return llvm::isa<llvm::ConstantExpr>(user) && isChanged(*user);
  });
}

bool takesFromHeap(const llvm::Function &function) {
  const StringRef name = function.getName();
  return llvm::is_contained<StringRef>(
             {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign"}, name) ||
         name.starts_with("_Znw") || name.starts_with("_Zna");
}

std::string shown(const llvm::GlobalValue &value) {
  return "'" + demangled(value.getName().str()) + "'";
}

} // namespace

llvm::PreservedAnalyses TileLimitsPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (const llvm::GlobalVariable &variable : module.globals()) {
    if (!isVariable(variable))
      continue;
    if (variable.isThreadLocal())
      messages_.errors += source_ + ": error: variable " + shown(variable) +
                          " is thread_local, which tiles do not have: make it a field of the "
                          "vertex or a variable of the function\n";
    else if (isChanged(variable))
      messages_.warnings += source_ + ": warning: variable " + shown(variable) +
                            " is one for all tiles of this process, not one on each tile: make it "
                            "a field of the vertex\n";
  }
  for (const llvm::Function &function : module)
    if (function.isDeclaration() && takesFromHeap(function))
      messages_.warnings += source_ + ": warning: " + shown(function) +
                            " takes memory from a heap, which tiles do not have: make it a field "
                            "of the vertex or an array of the function\n";
  return llvm::PreservedAnalyses::all();
}

} // namespace copse::popc
