#include "builtin_calls.hpp"

#include "worker_costs.hpp"

#include <llvm/IR/Module.h>
#include <string>

namespace copse::popc {
namespace {

bool standsForInstruction(const llvm::Function &function) {
  return !function.isDeclaration() && function.getName().contains("__builtin_ipu_") &&
         isBuiltin(("@" + function.getName()).str());
}

} // namespace

llvm::PreservedAnalyses BuiltinsApartPass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (standsForInstruction(function))
      function.addFnAttr(llvm::Attribute::NoInline);
  return llvm::PreservedAnalyses::none();
}

llvm::PreservedAnalyses BuiltinsInlinePass::run(llvm::Module &module,
                                                llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (standsForInstruction(function) && function.hasFnAttribute(llvm::Attribute::NoInline)) {
      function.removeFnAttr(llvm::Attribute::NoInline);
      function.addFnAttr(llvm::Attribute::AlwaysInline);
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
