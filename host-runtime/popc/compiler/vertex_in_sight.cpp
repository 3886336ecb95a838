#include "vertex_in_sight.hpp"

#include "vertex_code.hpp"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace copse::popc {
namespace {

void useAtEnd(llvm::Function &function) {
  llvm::Argument *const vertex = function.getArg(0);
  auto *const type = llvm::FunctionType::get(llvm::Type::getVoidTy(function.getContext()),
                                             {vertex->getType()}, false);
  for (llvm::BasicBlock &block : function)
    if (auto *const end = llvm::dyn_cast<llvm::ReturnInst>(block.getTerminator()))
      llvm::CallInst::Create(type, llvm::InlineAsm::get(type, "", "r", true), {vertex}, "", end);
}

} // namespace

llvm::PreservedAnalyses VertexInSightPass::run(llvm::Module &module,
                                               llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    if (hasVertex(function))
      useAtEnd(function);
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
