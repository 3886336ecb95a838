#include "tile_pointers.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace copse::popc {
namespace {

constexpr std::uint64_t kAddressMask = (1U << 21U) - 1;

} // namespace

llvm::PreservedAnalyses TilePointersPass::run(llvm::Module &module, llvm::ModuleAnalysisManager &) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *const narrowed = llvm::dyn_cast<llvm::TruncInst>(&instruction);
      if (narrowed == nullptr || !narrowed->getType()->isIntegerTy(32) ||
          !llvm::isa<llvm::PtrToIntInst>(narrowed->getOperand(0)))
        continue;
      llvm::Value *const pointer = narrowed->getOperand(0);
      llvm::Value *const mask = llvm::ConstantInt::get(pointer->getType(), kAddressMask);
      narrowed->setOperand(
          0, llvm::BinaryOperator::CreateAnd(pointer, mask, "copse.address", narrowed));
    }
  return llvm::PreservedAnalyses::none();
}

} // namespace copse::popc
