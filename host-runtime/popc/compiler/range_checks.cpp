#include "range_checks.hpp"

#include "wire/codelet_abi.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>
#include <utility>

namespace copse::popc {

using namespace llvm;

bool Access::stores() const { return (flags & wire::kCheckedStore) != 0; }

RangeChecks::RangeChecks(const LoopInfo &loops, ScalarEvolution &evolution)
    : loops_(loops), evolution_(evolution) {
  for (const Loop *const loop : loops.getLoopsInPreorder())
    if (auto counted = countedLoop(*loop))
      counted_.insert({loop, std::move(*counted)});
}

/// Accepts loops whose latch runs in each turn, and in which little else can happen.
std::optional<RangeChecks::Counted> RangeChecks::countedLoop(const Loop &loop) const {
  const BasicBlock *const latch = loop.getLoopLatch(), *const exit = loop.getExitingBlock();
  const bool isSimple = loop.isInnermost() && loop.getNumBlocks() <= 2 && latch != nullptr &&
                        exit != nullptr && loop.getLoopPreheader() != nullptr;
  if (!isSimple)
    return std::nullopt;
  const SCEV *const backedges = evolution_.getBackedgeTakenCount(&loop);
  Type *const word = Type::getInt64Ty(latch->getContext());
  if (isa<SCEVCouldNotCompute>(backedges) ||
      evolution_.getTypeSizeInBits(backedges->getType()) > 64)
    return std::nullopt;
  Counted counted;
  counted.turns = evolution_.getNoopOrZeroExtend(backedges, word);
  if (exit == latch)
    counted.turns = evolution_.getAddExpr(counted.turns, evolution_.getOne(word));
  return counted;
}

/// Returns null if the instruction does not run exactly once in each turn of a loop with a check.
RangeChecks::Counted *RangeChecks::around(const Instruction &instruction) {
  const Loop *const loop = loops_.getLoopFor(instruction.getParent());
  const auto found = counted_.find(loop);
  const bool isInBody = found != counted_.end() && loop->getLoopLatch() == instruction.getParent();
  return isInBody ? &found->second : nullptr;
}

void RangeChecks::loadsByItself(const Instruction &instruction) {
  const auto found = counted_.find(loops_.getLoopFor(instruction.getParent()));
  if (found != counted_.end())
    found->second.maySeeStores = true;
}

bool RangeChecks::add(const Access &access) {
  Counted *const counted = around(*access.instruction);
  if (counted == nullptr || !isa<ConstantInt>(access.bytes) ||
      (access.stores() && counted->maySeeStores))
    return false;
  const Loop *const loop = loops_.getLoopFor(access.instruction->getParent());
  const auto *const address = dyn_cast<SCEVAddRecExpr>(evolution_.getSCEV(access.pointer));
  if (address == nullptr || address->getLoop() != loop || !address->isAffine())
    return false;
  SCEVExpander expander(evolution_, access.instruction->getModule()->getDataLayout(), "");
  const Instruction *const entry = loop->getLoopPreheader()->getTerminator();
  for (const SCEV *const part :
       {counted->turns, address->getStart(), address->getStepRecurrence(evolution_)})
    if (!expander.isSafeToExpandAt(part, entry))
      return false;
  counted->ranges.push_back({address, access});
  return true;
}

void RangeChecks::insert(llvm::Module &module) {
  for (auto &[loop, counted] : counted_)
    if (!counted.ranges.empty())
      insert(counted, *loop, module);
}

void RangeChecks::insert(Counted &counted, const Loop &loop, llvm::Module &module) {
  Instruction *const entry = loop.getLoopPreheader()->getTerminator();
  IRBuilder<> builder(entry);
  builder.SetCurrentDebugLocation({});
  SCEVExpander expander(evolution_, module.getDataLayout(), "copse.range");
  Type *const pointer = builder.getPtrTy(), *const word = builder.getInt64Ty();
  Value *const function =
      builder.CreateLoad(pointer, module.getOrInsertGlobal(wire::kCheckRangeSymbol, pointer));
  auto *const type = FunctionType::get(builder.getInt1Ty(),
                                       {pointer, word, word, word, builder.getInt32Ty()}, false);
  Value *const turns = expander.expandCodeFor(counted.turns, word, entry);
  std::vector<std::pair<Value *, Value *>> places; // first address and stride of each range
  places.reserve(counted.ranges.size());
  for (const Counted::Range &range : counted.ranges)
    places.emplace_back(
        expander.expandCodeFor(range.address->getStart(), pointer, entry),
        expander.expandCodeFor(range.address->getStepRecurrence(evolution_), word, entry));
  const auto check = [&](std::size_t i, Value *count, unsigned more) {
    const Access &access = counted.ranges[i].access;
    CallInst *const call = builder.CreateCall(type, function,
                                              {places[i].first, places[i].second,
                                               builder.CreateZExtOrTrunc(access.bytes, word), count,
                                               builder.getInt32(access.flags | more)});
    call->addRetAttr(Attribute::ZExt);
    call->setDoesNotThrow();
    call->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    return call;
  };
  for (std::size_t i = 0; i < places.size(); ++i) {
    Value *const isGood = check(i, turns, 0);
    counted.isGood = i == 0 ? isGood : builder.CreateAnd(counted.isGood, isGood);
  }
  counted.isGood->setName("copse.range.good");
  Value *const happening = builder.CreateSelect(counted.isGood, turns, builder.getInt64(0));
  for (std::size_t i = 0; i < places.size(); ++i)
    check(i, happening, wire::kCheckedRangeHappens);
}

Value *RangeChecks::guardOf(const Access &access) const {
  return counted_.find(loops_.getLoopFor(access.instruction->getParent()))->second.isGood;
}

} // namespace copse::popc
