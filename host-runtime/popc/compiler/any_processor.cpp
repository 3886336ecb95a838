#include "any_processor.hpp"

#include <llvm/IR/Module.h>

namespace copse::popc {

llvm::PreservedAnalyses AnyProcessorPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  constexpr llvm::StringRef kFeatures = "target-features", kOfEntries = "-mmx";
  for (llvm::Function &function : module) {
    const bool isEntry = function.getFnAttribute(kFeatures).getValueAsString().contains(kOfEntries);
    for (const llvm::StringRef attribute :
         {kFeatures, llvm::StringRef("target-cpu"), llvm::StringRef("tune-cpu")})
      function.removeFnAttr(attribute);
    if (isEntry)
      function.addFnAttr(kFeatures, kOfEntries);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
