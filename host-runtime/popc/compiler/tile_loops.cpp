#include "tile_loops.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <utility>

namespace copse::popc {
namespace {

using namespace llvm;

constexpr std::uint64_t kUnknown = std::numeric_limits<std::uint64_t>::max();

/// Returns true if \p next adds an invariant to \p before.
bool adds(const Value &next, const PHINode &before, const Loop &loop) {
  const auto *const instruction = dyn_cast<Instruction>(&next);
  if (instruction == nullptr || !loop.contains(instruction))
    return false;
  const unsigned opcode = instruction->getOpcode();
  if (opcode != Instruction::Add && opcode != Instruction::Sub &&
      opcode != Instruction::GetElementPtr)
    return false;
  return is_contained(instruction->operands(), &before) &&
         all_of(instruction->operands(), [&](const Value *operand) {
           return operand == &before || loop.isLoopInvariant(operand);
         });
}

bool isLinear(const Instruction &operation) {
  switch (operation.getOpcode()) {
  case Instruction::Add:
  case Instruction::Sub:
  case Instruction::Mul:
  case Instruction::Shl:
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
  case Instruction::GetElementPtr:
  case Instruction::Or:
    return true;
  default:
    return false;
  }
}

const ConstantInt *numberIn(const Instruction &instruction) {
  return dyn_cast<ConstantInt>(instruction.getOperand(1));
}

/// Returns the largest number that a value of \p bits can be.
std::uint64_t largestOf(unsigned bits) {
  return bits == 0 || bits > 63 ? kUnknown : (std::uint64_t{1} << bits) - 1;
}

/// Returns the largest value that a number can have according to the code, without a sign.
std::uint64_t largest(const Value &value, unsigned depth = 0) {
  constexpr unsigned kMostDepth = 8;
  if (const auto *const number = dyn_cast<ConstantInt>(&value))
    return static_cast<std::uint64_t>(std::max<std::int64_t>(0, number->getSExtValue()));
  const auto *const instruction = dyn_cast<Instruction>(&value);
  if (instruction == nullptr || depth > kMostDepth)
    return kUnknown;
  const auto ofFirst = [&] { return largest(*instruction->getOperand(0), depth + 1); };
  if (const auto *const wider = dyn_cast<ZExtInst>(instruction))
    return std::min(ofFirst(), largestOf(wider->getSrcTy()->getScalarSizeInBits()));
  const bool isMask = instruction->getOpcode() == Instruction::And;
  if (!isMask && instruction->getOpcode() != Instruction::LShr)
    return kUnknown;
  const ConstantInt *const number = numberIn(*instruction);
  if (number == nullptr || number->isNegative())
    return kUnknown;
  return isMask ? std::min(ofFirst(), number->getLimitedValue())
                : std::min(ofFirst(), largestOf(instruction->getType()->getScalarSizeInBits())) >>
                      number->getLimitedValue(63);
}

} // namespace

TileLoops::TileLoops(const LoopInfo &loops) : loops_(loops) {
  for (const Loop *const loop : all())
    if (Count count; findCount(*loop, count))
      counts_[loop] = count;
}

const Loop *TileLoops::around(const BasicBlock &block) const { return loops_.getLoopFor(&block); }

std::vector<const Loop *> TileLoops::all() const {
  const auto loops = loops_.getLoopsInPreorder();
  return {loops.begin(), loops.end()};
}

const TileLoops::Count *TileLoops::countOf(const Loop &loop) const {
  const auto found = counts_.find(&loop);
  return found == counts_.end() ? nullptr : &found->second;
}

const Loop *TileLoops::countedBy(const Instruction &compare) const {
  const auto found =
      find_if(counts_, [&](const auto &counted) { return counted.second.compare == &compare; });
  return found == counts_.end() ? nullptr : found->first;
}

const Instruction *TileLoops::incrementOf(const Value &value, const Loop &loop) {
  const BasicBlock *const latch = loop.getLoopLatch();
  if (latch == nullptr)
    return nullptr;
  for (const PHINode &phi : loop.getHeader()->phis()) {
    const Value &next = *phi.getIncomingValueForBlock(latch);
    if ((&value == &phi || &value == &next) && adds(next, phi, loop))
      return cast<Instruction>(&next);
  }
  return nullptr;
}

bool TileLoops::isStepped(const Value &value, const Loop &loop) {
  if (loop.isLoopInvariant(&value) || incrementOf(value, loop) != nullptr)
    return true;
  const auto &instruction = cast<Instruction>(value);
  return isLinear(instruction) && all_of(instruction.operands(), [&](const Value *operand) {
           return isStepped(*operand, loop);
         });
}

/// A tile counts a loop down if it has one exit, which compares a value that grows by a power of
/// two with an invariant. Any other loop would need a division to know its count.
bool TileLoops::findCount(const Loop &loop, Count &count) {
  const BasicBlock *const exit = loop.getExitingBlock(), *const latch = loop.getLoopLatch();
  if (exit == nullptr || latch == nullptr || (exit != latch && exit != loop.getHeader()))
    return false;
  const auto *const branch = dyn_cast<BranchInst>(exit->getTerminator());
  const bool branches = branch != nullptr && branch->isConditional();
  const auto *const compare = branches ? dyn_cast<ICmpInst>(branch->getCondition()) : nullptr;
  if (compare == nullptr || !loop.contains(compare))
    return false;
  const Value *counter = compare->getOperand(0), *bound = compare->getOperand(1);
  if (incrementOf(*counter, loop) == nullptr)
    std::swap(counter, bound);
  const Instruction *const increment = incrementOf(*counter, loop);
  if (increment == nullptr || !loop.isLoopInvariant(bound))
    return false;
  const bool isAddress = isa<GetElementPtrInst>(increment);
  const ConstantInt *const step = numberIn(*increment);
  if (!isAddress && (step == nullptr || !step->getValue().abs().isPowerOf2()))
    return false;
  count.compare = compare;
  if (isAddress || !step->isNegative()) // else it counts down from an unknown value
    count.atMost = largest(*bound);
  return true;
}

} // namespace copse::popc
