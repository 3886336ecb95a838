#include "builtin_calls.hpp"

#include "library_costs.hpp"

#include <llvm/IR/Module.h>

namespace copse::popc {
namespace {

bool definesInstruction(const llvm::Function &function) {
  return !function.isDeclaration() && standsForInstruction(function.getName());
}

} // namespace

llvm::PreservedAnalyses BuiltinsApartPass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (definesInstruction(function))
      function.addFnAttr(llvm::Attribute::NoInline);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses BuiltinsInlinePass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (definesInstruction(function) && function.hasFnAttribute(llvm::Attribute::NoInline)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
