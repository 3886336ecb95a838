#include "access_checks.hpp"

#include "range_checks.hpp"
#include "source_lines.hpp"
#include "vertex_code.hpp"

#include "wire/checked_code.hpp"
#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>
#include <map>
#include <vector>

namespace copse::popc {
namespace {

using namespace llvm;

/// The largest access whose alignment the tile checks [bytes].
constexpr std::uint64_t kMostAligned = 8;
static_assert(kMostAligned <= wire::kCheckedAlignment);

unsigned flagsOf(std::uint64_t align, bool stores) {
  return static_cast<unsigned>(std::min(align, kMostAligned)) | (stores ? wire::kCheckedStore : 0);
}

/// Returns true for a load from a named part of the vertex's state. Such a load is never wrong, and
/// loops contain many of them.
bool readsState(const Access &access) {
  const Function &function = *access.instruction->getFunction();
  const Value *pointer = access.pointer;
  for (const auto *part = dyn_cast<GetElementPtrInst>(pointer);
       part != nullptr && part->hasAllConstantIndices();
       part = dyn_cast<GetElementPtrInst>(pointer))
    pointer = part->getPointerOperand();
  return !access.stores() && hasVertex(function) && pointer == function.getArg(0);
}

/// Returns true unless the pointer leads to a variable of the function, or to the thread's count of
/// cycles.
bool mayBeOfTile(const Value &pointer) {
  if (isa<Constant>(pointer))
    return false;
  const Value *const origin = getUnderlyingObject(&pointer, 0);
  const auto *const call = dyn_cast<IntrinsicInst>(origin);
  return !isa<AllocaInst>(origin) &&
         (call == nullptr || call->getIntrinsicID() != Intrinsic::thread_pointer);
}

bool isChecked(const Access &access) { return mayBeOfTile(*access.pointer) && !readsState(access); }

std::vector<Access> accessesOf(Instruction &instruction, const DataLayout &layout) {
  std::vector<Access> accesses;
  if (auto *const copy = dyn_cast<MemIntrinsic>(&instruction)) {
    Value *const bytes = copy->getLength();
    if (const auto *const transfer = dyn_cast<MemTransferInst>(copy))
      accesses.push_back({copy, transfer->getRawSource(), bytes,
                          flagsOf(transfer->getSourceAlign().valueOrOne().value(), false)});
    accesses.push_back({copy, copy->getRawDest(), bytes,
                        flagsOf(copy->getDestAlign().valueOrOne().value(), true)});
  } else if (Value *const pointer = getLoadStorePointerOperand(&instruction)) {
    Type *const type = getLoadStoreType(&instruction);
    if (!type->isSingleValueType())
      return {};
    const std::uint64_t bytes = layout.getTypeStoreSize(type).getFixedValue();
    const auto align = std::min(getLoadStoreAlignment(&instruction).value(), PowerOf2Ceil(bytes));
    accesses.push_back({&instruction, pointer,
                        ConstantInt::get(Type::getInt64Ty(type->getContext()), bytes),
                        flagsOf(align, isa<StoreInst>(instruction))});
  }
  erase_if(accesses, [](const Access &access) { return !isChecked(access); });
  return accesses;
}

/// The functions and variables of a module that checks use.
class Parts {
public:
  Parts(llvm::Module &module, std::string headers)
      : module_(module), builder_(module.getContext()), lines_(std::move(headers)) {
    Type *const pointer = builder_.getPtrTy();
    checkAccess_ = module.getOrInsertGlobal(wire::kCheckAccessSymbol, pointer);
    define(wire::kCheckRangeSymbol, *Constant::getNullValue(pointer));
    define(wire::kCheckedCodeSymbol, *builder_.getInt8(1)).setConstant(true);
    defineCheckUnless();
  }

  /// Inserts the check of one access.
  /// \param isGood  a value that says if it is needless; null if there is none
  void insert(const Access &access, Value *isGood) {
    builder_.SetInsertPoint(access.instruction);
    builder_.SetCurrentDebugLocation({}); // the code is no line's
    const std::vector<Value *> arguments{
        access.pointer, builder_.CreateZExtOrTrunc(access.bytes, builder_.getInt64Ty()),
        builder_.getInt32(access.flags), siteOf(*access.instruction)};
    if (isGood == nullptr)
      return callCheck(arguments);
    std::vector<Value *> withGuard = arguments;
    withGuard.push_back(isGood);
    builder_.CreateCall(checkUnless_, withGuard);
  }

private:
  GlobalVariable &define(StringRef name, Constant &value) {
    auto &variable = *cast<GlobalVariable>(module_.getOrInsertGlobal(name, value.getType()));
    variable.setInitializer(&value);
    variable.setLinkage(GlobalValue::WeakAnyLinkage);
    return variable;
  }

  void callCheck(const std::vector<Value *> &arguments) {
    Value *const function = builder_.CreateLoad(builder_.getPtrTy(), checkAccess_);
    CallInst *const call = builder_.CreateCall(
        FunctionType::get(builder_.getVoidTy(), ofArguments(), false), function, arguments);
    call->setDoesNotThrow();
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  }

  std::vector<Type *> ofArguments() {
    return {builder_.getPtrTy(), builder_.getInt64Ty(), builder_.getInt32Ty(), builder_.getPtrTy()};
  }

  /// Defines a check that is needless if a range check has succeeded. Its condition is constant in
  /// a loop, so that optimisers can make two loops of one.
  void defineCheckUnless() {
    std::vector<Type *> parameters = ofArguments();
    parameters.push_back(builder_.getInt1Ty());
    checkUnless_ = Function::Create(FunctionType::get(builder_.getVoidTy(), parameters, false),
                                    GlobalValue::InternalLinkage, "copse.checkUnless", module_);
    checkUnless_->addFnAttr(Attribute::AlwaysInline);
    checkUnless_->setDoesNotThrow();
    checkUnless_->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    LLVMContext &context = module_.getContext();
    BasicBlock *const begin = BasicBlock::Create(context, "", checkUnless_),
                      *const check = BasicBlock::Create(context, "check", checkUnless_),
                      *const end = BasicBlock::Create(context, "end", checkUnless_);
    builder_.SetInsertPoint(begin);
    builder_.CreateCondBr(checkUnless_->getArg(4), end, check);
    builder_.SetInsertPoint(check);
    callCheck({checkUnless_->getArg(0), checkUnless_->getArg(1), checkUnless_->getArg(2),
               checkUnless_->getArg(3)});
    builder_.CreateBr(end);
    builder_.SetInsertPoint(end);
    builder_.CreateRetVoid();
  }

  /// Returns the source line of an instruction. If optimisers have dropped the line, the nearest
  /// instruction with a line is used.
  std::string lineOf(const Instruction &instruction) const {
    for (const Instruction *next = &instruction; next != nullptr; next = next->getNextNode())
      if (std::string line = lines_.of(*next); !line.empty())
        return line;
    const Function &function = *instruction.getFunction();
    std::string line;
    bool isBehind = false;
    for (const Instruction &other : instructions(function)) {
      isBehind |= &other == &instruction;
      if (isBehind && !line.empty())
        break;
      if (std::string there = lines_.of(other); !there.empty())
        line = std::move(there);
    }
    return line.empty() ? lines_.of(function) : line;
  }

  /// Returns the variable with the source line of an instruction.
  Constant *siteOf(const Instruction &instruction) {
    const std::string line = lineOf(instruction);
    Constant *&site = sites_[line];
    if (site == nullptr)
      site = builder_.CreateGlobalString(line, "copse.site", 0, &module_);
    return site;
  }

  llvm::Module &module_;
  IRBuilder<> builder_;
  SourceLines lines_;
  Constant *checkAccess_ = nullptr;
  Function *checkUnless_ = nullptr;
  std::map<std::string, Constant *> sites_;
};

/// Tells \p ranges of the function's accesses: of loads first, because stores may have a common
/// check only if all loads have one.
/// \returns the accesses, and if the check of a loop covers each
std::vector<std::pair<Access, bool>> accessesOf(Function &function, RangeChecks &ranges) {
  std::vector<std::pair<Access, bool>> all;
  for (Instruction &instruction : instructions(function)) {
    const auto *const call = dyn_cast<CallBase>(&instruction);
    if (call != nullptr && !isa<IntrinsicInst>(call))
      ranges.loadsByItself(instruction);
    for (const Access &access : accessesOf(instruction, function.getParent()->getDataLayout()))
      all.emplace_back(access, false);
  }
  for (const bool stores : {false, true})
    for (auto &[access, isCovered] : all) {
      if (access.stores() != stores)
        continue;
      isCovered = ranges.add(access);
      if (!stores && !isCovered)
        ranges.loadsByItself(*access.instruction);
    }
  return all;
}

bool isToBeChecked(const Function &function) {
  return !function.isDeclaration() && !function.getName().starts_with("copse.") &&
         !function.getName().contains("__builtin_ipu_");
}

} // namespace

PreservedAnalyses AccessChecksPass::run(llvm::Module &module, ModuleAnalysisManager &analyses) {
  auto &ofFunctions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  Parts parts(module, headers_);
  for (Function &function : module) {
    if (!isToBeChecked(function))
      continue;
    RangeChecks ranges(ofFunctions.getResult<LoopAnalysis>(function),
                       ofFunctions.getResult<ScalarEvolutionAnalysis>(function));
    const auto accesses = accessesOf(function, ranges);
    ranges.insert(module);
    for (const auto &[access, isCovered] : accesses)
      parts.insert(access, isCovered ? ranges.guardOf(access) : nullptr);
  }
  return PreservedAnalyses::none();
}

} // namespace copse::popc
