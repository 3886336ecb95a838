#include "cycle_counting.hpp"

#include "services.hpp"
#include "worker_schedule.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <utility>
#include <vector>

namespace copse::popc {
namespace {

using namespace llvm;

/// Returns the largest count of `rpt`. Source: the vendor's ISA document; for Mk1: the mask of
/// $REPEAT_COUNT.
unsigned repeatLimitOf(Architecture arch) { return arch == Architecture::Ipu1 ? 0xFFF : 0xFFFF; }

/// Returns true if an address grows by a constant amount in every turn of \p loop.
bool movesOn(const Value &pointer, const Loop &loop) {
  const auto growsBySame = [&](const Value &value) {
    const Instruction *const increment = TileLoops::incrementOf(value, loop);
    if (increment == nullptr)
      return false;
    const auto *const by =
        dyn_cast<ConstantInt>(increment->getOperand(increment->getNumOperands() - 1));
    return by != nullptr && !by->isZero();
  };
  const auto *const element = dyn_cast<GetElementPtrInst>(&pointer);
  return growsBySame(pointer) ||
         (element != nullptr && growsBySame(*element->getOperand(element->getNumOperands() - 1)));
}

/// Returns true if 32 bits suffice for the count of a loop. This is so if each turn accesses an
/// address that moves on, because memory of a tile, or of a thread's stack, ends after 2^23 bytes.
/// With counts of 64 bits, vectors would have half as many elements.
bool isShort(const Loop &loop) {
  if (!loop.isInnermost() || loop.getNumBlocks() < 2 || loop.getLoopLatch() == nullptr ||
      loop.getExitingBlock() == nullptr || loop.getExitBlock() == nullptr)
    return false;
  for (const BasicBlock *const block : loop.blocks())
    for (const Instruction &instruction : block->instructionsWithoutDebug()) {
      const auto *const call = dyn_cast<CallBase>(&instruction);
      const Function *const callee = call == nullptr ? nullptr : call->getCalledFunction();
      if (call != nullptr && (callee == nullptr || !callee->getName().starts_with("llvm.f")))
        return false;
    }
  return any_of(*loop.getHeader(), [&](const Instruction &access) {
    const Value *const pointer = getLoadStorePointerOperand(&access);
    return pointer != nullptr && movesOn(*pointer, loop);
  });
}

/// Returns true if the called function may read the thread's count: by registers that count cycles,
/// or in code that may read these.
bool mayLook(const CallBase &call) {
  if (call.isInlineAsm())
    return false;
  if (const Function *const callee = call.getCalledFunction())
    return callee->getName().contains("__builtin_ipu_get") ||
           callee->getName().contains("__builtin_ipu_uget");
  const StringRef service = serviceOf(call);
  return service.empty() || service == wire::kReadRegisterSymbol ||
         service == wire::kAssemblySymbol || service == wire::kTileFunctionSymbol;
}

/// The cycles of a block, with the instructions at which they are counted.
struct BlockCycles {
  /// Copies and fills of a size that is not known.
  struct Copy {
    Instruction *instruction;
    CostPerByte cost;
  };
  /// A place at which the thread's count must be right, and the cycles of the block before it.
  struct Look {
    Instruction *instruction;
    std::uint64_t cycles;
  };
  BasicBlock *block = nullptr;
  std::vector<Copy> copies;
  std::vector<Look> looks;
  std::uint64_t all = 0;
};

BlockCycles cyclesIn(BasicBlock &block, const WorkerCosts &costs) {
  BlockCycles found;
  found.block = &block;
  const std::vector<std::uint64_t> cycles = cyclesOf(block, costs);
  std::size_t number = 0;
  for (Instruction &instruction : block.instructionsWithoutDebug()) {
    if (const auto cost = costs.perByteOf(instruction))
      found.copies.push_back({&instruction, *cost});
    if (const auto *const call = dyn_cast<CallInst>(&instruction);
        call != nullptr && mayLook(*call))
      found.looks.push_back({&instruction, cycles[number]});
    ++number;
  }
  found.all = cycles.back();
  return found;
}

/// Inserts the counting code of one function.
///
/// Each level of loops has a variable of its own, which is added to the variable of the enclosing
/// level at the end of each turn. So a turn has one addition, whose operand is constant if the turn
/// has no branches. Optimisers turn this addition into a product outside of the loop, or vectorise
/// it.
class FunctionCounter {
public:
  FunctionCounter(Function &function, const TileLoops &loops, unsigned repeatLimit)
      : function_(function), loops_(loops), builder_(function.getContext()) {
    const WorkerCosts costs(function, loops, repeatLimit);
    for (BasicBlock &block : function)
      blocks_.push_back(cyclesIn(block, costs));
    for (const Loop *const loop : loops.all())
      if (isShort(*loop))
        addShort(*loop);
  }

  /// \returns true if there is something to count
  bool count() {
    if (none_of(blocks_, [](const BlockCycles &block) { return block.all > 0; }))
      return false;
    addVariables();
    for (const auto &[loop, outside] : short_)
      addShortCount(*outside);
    for (const BlockCycles &block : blocks_)
      countBlock(block);
    return true;
  }

private:
  static constexpr std::uint64_t kMostShortCycles = 256; ///< longest turn of a short loop

  void addShort(const Loop &loop) {
    BasicBlock *const outside = loop.getExitBlock();
    std::uint64_t cycles = 0;
    for (const BlockCycles &block : blocks_)
      cycles += loop.contains(block.block) ? block.all : 0;
    if (cycles <= kMostShortCycles && loops_.depthOf(*outside) + 1 == loop.getLoopDepth())
      short_.emplace_back(&loop, outside);
  }
  bool isShortLoop(const Loop *loop) const {
    return any_of(short_, [&](const auto &known) { return known.first == loop; });
  }

  void insertBefore(Instruction &instruction) {
    builder_.SetInsertPoint(&instruction);
    builder_.SetCurrentDebugLocation({}); // the code is no line's
  }

  void addVariables() {
    insertBefore(*function_.getEntryBlock().getFirstNonPHIOrDbg());
    const auto variable = [&](Type *type, const Twine &name) {
      AllocaInst *const one = builder_.CreateAlloca(type, nullptr, name);
      builder_.CreateStore(ConstantInt::get(type, 0), one);
      return one;
    };
    if (!short_.empty()) {
      shortTurn_ = variable(builder_.getInt32Ty(), "copse.short.turn");
      shortLoop_ = variable(builder_.getInt32Ty(), "copse.short.loop");
    }
    unsigned levels = 0;
    for (const BlockCycles &block : blocks_)
      levels = std::max(levels, loops_.depthOf(*block.block));
    for (unsigned level = 0; level <= levels; ++level)
      levels_.push_back(variable(builder_.getInt64Ty(), "copse.count." + Twine(level)));
  }

  void setToZero(AllocaInst &variable) {
    builder_.CreateStore(ConstantInt::get(variable.getAllocatedType(), 0), &variable);
  }
  Value *valueOf(AllocaInst &variable) {
    return builder_.CreateLoad(variable.getAllocatedType(), &variable);
  }
  void add(AllocaInst &variable, Value *amount) {
    builder_.CreateStore(builder_.CreateAdd(valueOf(variable), amount), &variable);
  }
  void add(AllocaInst &variable, std::uint64_t amount) {
    if (amount != 0)
      add(variable, ConstantInt::get(variable.getAllocatedType(), amount));
  }

  /// Adds the count of a level to the enclosing level.
  void passOn(unsigned level) {
    add(*levels_[level - 1], valueOf(*levels_[level]));
    setToZero(*levels_[level]);
  }
  void passOnShortTurn() {
    add(*shortLoop_, valueOf(*shortTurn_));
    setToZero(*shortTurn_);
  }
  /// Adds the count of a short loop to the enclosing level where the loop ends.
  void addShortCount(BasicBlock &outside) {
    insertBefore(*outside.getFirstNonPHIOrDbg());
    Value *const counted = valueOf(*shortLoop_);
    add(*levels_[loops_.depthOf(outside)], builder_.CreateZExt(counted, builder_.getInt64Ty()));
    setToZero(*shortLoop_);
  }

  /// Adds the function's count to the thread's.
  void handOver() {
    llvm::Module &module = *function_.getParent();
    Type *const word = builder_.getInt64Ty();
    Value *const offset =
        builder_.CreateLoad(word, module.getOrInsertGlobal(wire::kCycleOffsetSymbol, word));
    Value *const thread = builder_.CreateIntrinsic(Intrinsic::thread_pointer, {}, {});
    Value *const place = builder_.CreateGEP(builder_.getInt8Ty(), thread, offset);
    Value *const old = builder_.CreateLoad(word, place);
    builder_.CreateStore(builder_.CreateAdd(old, valueOf(*levels_[0])), place);
  }
  /// Adds the counts of all levels to the thread's in the middle of the function.
  void handOverFrom(unsigned level) {
    for (; level > 0; --level)
      passOn(level);
    handOver();
    setToZero(*levels_[0]);
  }

  void countBlock(const BlockCycles &cycles) {
    BasicBlock &block = *cycles.block;
    const unsigned level = loops_.depthOf(block);
    AllocaInst &variable = isShortLoop(loops_.around(block)) ? *shortTurn_ : *levels_[level];
    for (const BlockCycles::Copy &copy : cycles.copies) {
      insertBefore(*copy.instruction);
      Value *const more = builder_.CreateLShr(copy.cost.bytes, copy.cost.shift);
      add(*levels_[level], builder_.CreateZExt(more, builder_.getInt64Ty()));
    }
    std::uint64_t counted = 0; // cycles that are already counted
    for (const BlockCycles::Look &look : cycles.looks) {
      insertBefore(*look.instruction);
      add(variable, look.cycles - std::exchange(counted, look.cycles));
      handOverFrom(level);
    }
    insertBefore(endOf(block));
    add(variable, cycles.all - counted);
    endBlock(block);
  }

  /// Passes on the counts of a block's loops where it ends a turn or leaves the loops.
  void endBlock(const BasicBlock &block) {
    if (isa<ReturnInst>(block.getTerminator()))
      return handOver();
    for (const Loop *loop = loops_.around(block); loop != nullptr; loop = loop->getParentLoop()) {
      if (!loop->isLoopLatch(&block) && !loop->isLoopExiting(&block))
        continue;
      if (isShortLoop(loop))
        passOnShortTurn();
      else
        passOn(loop->getLoopDepth());
    }
  }

  /// Returns the instruction before which a block's count may be added. A call that must be the
  /// last instruction has to stay directly before its return.
  static Instruction &endOf(BasicBlock &block) {
    CallInst *const last = block.getTerminatingMustTailCall();
    return last != nullptr ? *last : *block.getTerminator();
  }

  Function &function_;
  const TileLoops &loops_;
  IRBuilder<> builder_;
  std::vector<BlockCycles> blocks_;
  /// Loops with counts of 32 bits, each with the block in which it ends.
  std::vector<std::pair<const Loop *, BasicBlock *>> short_;
  AllocaInst *shortTurn_ = nullptr, *shortLoop_ = nullptr;
  std::vector<AllocaInst *> levels_; ///< the variable of each level of loops
};

bool isCounted(const Function &function) {
  return !function.isDeclaration() && !isBuiltin(function.getName()) &&
         !function.getName().starts_with("copse.");
}

bool counts(Function &function, FunctionAnalysisManager &analyses, unsigned repeatLimit) {
  const TileLoops loops(analyses.getResult<LoopAnalysis>(function));
  return FunctionCounter(function, loops, repeatLimit).count();
}

/// Removes what an attribute list says about memory access, because counting writes the count.
template <class Code> void permitCounting(Code &code) {
  for (const auto attribute : {Attribute::Memory, Attribute::Speculatable, Attribute::NoSync})
    code.removeFnAttr(attribute);
}

} // namespace

PreservedAnalyses CycleCountingPass::run(llvm::Module &module, ModuleAnalysisManager &analyses) {
  auto &ofFunctions = analyses.getResult<FunctionAnalysisManagerModuleProxy>(module).getManager();
  SmallPtrSet<const Function *, 16> counted;
  for (Function &function : module)
    if (isCounted(function) && counts(function, ofFunctions, repeatLimitOf(arch_))) {
      counted.insert(&function);
      permitCounting(function);
    }
  for (Function &function : module)
    for (Instruction &instruction : instructions(function)) {
      auto *const call = dyn_cast<CallBase>(&instruction);
      if (call == nullptr || call->isInlineAsm())
        continue;
      const Function *const callee = call->getCalledFunction();
      if (callee == nullptr || counted.contains(callee))
        permitCounting(*call);
    }
  return PreservedAnalyses::none();
}

} // namespace copse::popc
