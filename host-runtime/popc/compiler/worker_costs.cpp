#include "worker_costs.hpp"

#include "idle_assembly.hpp"
#include "services.hpp"
#include "vertex_code.hpp"

#include "wire/codelet_abi.hpp"

#include <algorithm>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace copse::popc {
namespace {

using namespace llvm;
using enum Lane;
using Issues = std::vector<Issue>;

constexpr unsigned kRegisterBits = 64;     // a pair of aux registers: the size of one load or store
constexpr unsigned kMainRegisterBytes = 4; // a main register: ld64 and st64 have aux registers only

// Routines of the compiler's library for stores of less than a word, for which the tile has no
// instructions. Source: PopLibs, popopsCycleEstimators.hpp: LOGICAL_NOT of a bool takes 17 cycles
// and "uses _st8".
constexpr Issue kStoreByte{Alone, 12}, kStoreHalfWord{Alone, 10};

/// Returns the cycles of a routine for integer division; 0 for other operations. Source: PopLibs,
/// popopsCycleEstimators.hpp, less the surrounding loop.
unsigned cyclesOfDivision(unsigned opcode, bool isLong) {
  switch (opcode) {
  case Instruction::SDiv:
    return isLong ? 123 : 271;
  case Instruction::UDiv:
    return isLong ? 108 : 259;
  case Instruction::SRem:
    return isLong ? 159 : 286;
  case Instruction::URem:
    return isLong ? 142 : 276;
  default:
    return 0;
  }
}

/// Returns the cycles of operations on integers of 64 bits, which are pairs of words. Source:
/// PopLibs, popopsCycleEstimators.hpp.
unsigned cyclesOfLong(const Instruction &operation) {
  switch (operation.getOpcode()) {
  case Instruction::Mul:
    return 23;
  case Instruction::Shl:
  case Instruction::LShr:
  case Instruction::AShr:
    return 11;
  case Instruction::Add:
  case Instruction::Sub:
    return 4;
  default:
    return 2;
  }
}

// A comparison of 64 bits compares both words, and the high words for equality, and has a movz.
constexpr unsigned kLongComparison = 4;

// Arithmetic of doubles by routines of integer instructions. Estimate of Copse.
constexpr unsigned kDoubleSum = 60, kDoubleProduct = 80, kDoubleConversion = 30;

bool isFloating(const Type *type) {
  const Type *const element = type->getScalarType();
  return element->isHalfTy() || element->isFloatTy() || element->isDoubleTy();
}
bool isOfDoubles(const Type *type) { return type->getScalarType()->isDoubleTy(); }

unsigned elementsOf(const Type *type) {
  const auto *const vector = dyn_cast<FixedVectorType>(type);
  return vector == nullptr ? 1 : vector->getNumElements();
}

/// Returns the size of a value in a worker's registers [bits]. Pointers have 32 bits, as on the
/// tile. Returns 0 for types without a size and for types that no register holds.
unsigned bitsOf(const Type *type) {
  if (type->isVectorTy())
    return elementsOf(type) * bitsOf(type->getScalarType());
  if (type->isPointerTy())
    return 32;
  const bool isLarge = type->isX86_FP80Ty() || type->isFP128Ty() || type->isX86_MMXTy();
  return isLarge ? 0 : static_cast<unsigned>(type->getPrimitiveSizeInBits().getFixedValue());
}

unsigned divideUp(unsigned a, unsigned b) { return (a + b - 1) / b; }
unsigned registersOf(const Type *type) { return divideUp(bitsOf(type), kRegisterBits); }

bool isZero(const Value &value) {
  const auto *const constant = dyn_cast<Constant>(&value);
  return constant != nullptr && constant->isNullValue();
}
/// Returns true for a zero that makes a select one instruction. Zeros of halves do not so far,
/// because that would change modelled times.
bool isZeroOfSelect(const Value &value) { return isZero(value) && !value.getType()->isHalfTy(); }

/// Returns true if an operand is the mask of a tile's slot, which costs nothing: addresses on a
/// tile need no mask.
bool isSlotMask(const Value &value) {
  const auto *const mask = dyn_cast<ConstantInt>(&value);
  return mask != nullptr && mask->getBitWidth() <= 64 &&
         (mask->getSExtValue() == -2097152 || mask->getSExtValue() == -4294967296);
}

bool callsCompute(const CallBase &call) {
  const Function *const callee = call.getCalledFunction();
  return callee != nullptr && isCompute(*callee);
}

/// Returns true for an entry point that calls a compute() that is a function of its own.
bool startsCompute(const Function &function) {
  return isEntryPoint(function) && any_of(instructions(function), [](const Instruction &each) {
           const auto *const call = dyn_cast<CallBase>(&each);
           return call != nullptr && callsCompute(*call);
         });
}

/// Returns true if \p value is computed, and used only by instructions with an opcode.
bool isOnlyFor(const Value &value, unsigned opcode) {
  return isa<Instruction>(value) && !value.use_empty() &&
         all_of(value.users(),
                [&](const User *user) { return cast<Instruction>(user)->getOpcode() == opcode; });
}

/// Returns the number of instructions for an access of \p bits with alignment \p align.
unsigned accesses(unsigned bits, std::uint64_t align) {
  const auto atOnce = static_cast<unsigned>(std::min<std::uint64_t>(align, kRegisterBits / 8));
  return std::max(1u, divideUp(divideUp(bits, 8), atOnce));
}

/// Returns true if a number of 64 bits is part of an address, a count or an index, which have 32
/// bits on the tile.
bool isAddressWork(const Instruction &instruction) {
  constexpr unsigned kMost = 32;
  SmallVector<const Instruction *, kMost> open{&instruction};
  for (unsigned i = 0; i < open.size() && i < kMost; ++i) {
    if (isa<LoadInst>(open[i]) && open[i]->getType()->isIntegerTy(64))
      return false;
    const bool ends = isa<LoadInst, ZExtInst, SExtInst, PtrToIntInst, PHINode>(open[i]) ||
                      (isa<CallInst>(open[i]) && !isa<MinMaxIntrinsic>(open[i]));
    if (ends)
      continue;
    for (const Value *const operand : open[i]->operands())
      if (const auto *const definition = dyn_cast<Instruction>(operand))
        open.push_back(definition);
  }
  return true;
}

/// Returns true if a value of 64 bits is in two main registers, because instructions of integers
/// use or compute it. A value that is only copied passes through aux registers.
bool isInMainRegisters(const Instruction &value) {
  if (!isa<LoadInst>(value))
    return !isa<BitCastInst>(value) && !isAddressWork(value);
  return value.getType()->isIntegerTy(64) &&
         any_of(value.users(), [](const User *user) { return !isa<StoreInst, BitCastInst>(user); });
}

/// Returns true for an inversion that the tile's `xnor` or `andc` includes: of an exclusive or, or
/// for an and, that nothing else uses.
bool isPartOfXnorOrAndc(const Instruction &instruction) {
  const auto *const ones = dyn_cast<ConstantInt>(instruction.getOperand(1));
  if (instruction.getOpcode() != Instruction::Xor || ones == nullptr || !ones->isMinusOne() ||
      ones->getBitWidth() == 1)
    return false;
  const auto *const inverted = dyn_cast<Instruction>(instruction.getOperand(0));
  const bool isOfXor =
      inverted != nullptr && inverted->getOpcode() == Instruction::Xor && inverted->hasOneUse();
  return isOfXor || isOnlyFor(instruction, Instruction::And);
}

/// Returns true for a shuffle that only chooses registers of its operands, in their order: a part
/// of a half4, or a half4 of two half2.
bool choosesRegisters(const ShuffleVectorInst &shuffle) {
  if (bitsOf(shuffle.getType()->getScalarType()) != 16)
    return false;
  const ArrayRef<int> from = shuffle.getShuffleMask(); // negative for elements that nothing uses
  int next = 0;
  for (std::size_t i = 0; i + 1 < from.size(); i += 2) {
    const bool isUnused = from[i] < 0 && from[i + 1] < 0;
    const bool isRegister = from[i] % 2 == 0 && from[i + 1] == from[i] + 1 && from[i] >= next;
    if (!isUnused && !isRegister)
      return false;
    next = isUnused ? next : from[i] + 2;
  }
  return from.size() % 2 == 0;
}

Issues ofArithmetic(const Instruction &operation) {
  const Type *const type = operation.getType();
  const unsigned elements = elementsOf(type), opcode = operation.getOpcode();
  if (isOfDoubles(type))
    return {{Alone, elements * (opcode == Instruction::FNeg   ? 1
                                : opcode == Instruction::FMul ? kDoubleProduct
                                : opcode == Instruction::FDiv ? 4 * kDoubleProduct
                                                              : kDoubleSum)}};
  if (opcode == Instruction::FDiv)
    return {{Aux, 3 * elements}};
  if (opcode == Instruction::FRem)
    return {{Alone, 66 * elements}};
  return {{Aux, registersOf(type)}};
}

Issues ofConversion(const CastInst &conversion) {
  const unsigned opcode = conversion.getOpcode();
  const Type *const from = conversion.getSrcTy(), *const to = conversion.getDestTy();
  const Value &operand = *conversion.getOperand(0);
  const unsigned elements = elementsOf(to);
  if (opcode == Instruction::Trunc)
    return {};
  if (opcode == Instruction::ZExt || opcode == Instruction::SExt) {
    const unsigned bits = bitsOf(from->getScalarType());
    // ldz8, lds8, ldz16 and lds16 extend the value that they load; a truth value is a whole word
    // anyway.
    if (bits >= 32 || bits == 1 || isa<LoadInst>(operand))
      return {};
    return {{Main, elements * (opcode == Instruction::ZExt ? 1 : 2)}};
  }
  if (isOfDoubles(from) || isOfDoubles(to))
    return {{Alone, elements * kDoubleConversion}};
  if (opcode == Instruction::FPExt || opcode == Instruction::FPTrunc)
    return {{Aux, divideUp(elements, 2)}}; // f16tof32, f16v2tof32, f32v2tof16
  if (opcode == Instruction::FPToSI || opcode == Instruction::FPToUI)
    return {{Aux, 2 * elements}, {Main, elements}}; // f32int, f32toi32, atom
  // No instruction moves a word from the main to the aux registers. The value goes through memory,
  // unless it comes from there.
  Issues issues;
  if (!isa<LoadInst, Constant>(operand))
    issues.push_back({Main, 2 * elements});
  issues.push_back({Aux, elements});
  return issues;
}

Issues ofBitcast(const CastInst &cast) {
  const Type *const from = cast.getSrcTy(), *const to = cast.getDestTy();
  const bool isToAux = !isFloating(from) && isFloating(to) && elementsOf(from) == 1;
  const bool isToMain = isFloating(from) && !isFloating(to) && elementsOf(to) == 1;
  if (isa<LoadInst, Constant>(cast.getOperand(0)) || isOnlyFor(cast, Instruction::Store))
    return {};
  // A builtin returns a half2 in an aux register, although LLVM has it as a word.
  const auto *const call = dyn_cast<CallInst>(cast.getOperand(0));
  const Function *const callee = call == nullptr ? nullptr : call->getCalledFunction();
  if (to->getScalarType()->isHalfTy() && callee != nullptr && isBuiltin(callee->getName()))
    return {};
  const unsigned words = divideUp(std::max(1u, bitsOf(to)), 32);
  if (isToMain)
    return {{Main, words}}; // atom
  return isToAux ? Issues{{Main, 2 * words}} : Issues{};
}

Issues ofLoad(const LoadInst &load) {
  const unsigned bits = bitsOf(load.getType());
  if (bits == 0)
    return {};
  const std::uint64_t align = load.getAlign().value();
  const bool isToMain = isInMainRegisters(load);
  return {{Main,
           accesses(bits, isToMain ? std::min<std::uint64_t>(align, kMainRegisterBytes) : align)}};
}

Issues ofStore(const StoreInst &store) {
  const unsigned bits = bitsOf(store.getValueOperand()->getType());
  const auto align = std::min<std::uint64_t>(store.getAlign().value(), divideUp(bits, 8));
  if (bits == 0)
    return {};
  if (bits < 16 || align < 2)
    return {{Alone, kStoreByte.cycles * divideUp(bits, 8)}};
  if (bits < 32 || align < 4)
    return {{Alone, kStoreHalfWord.cycles * divideUp(bits, 16)}};
  const auto *const value = dyn_cast<Instruction>(store.getValueOperand());
  const bool isOfMain =
      value != nullptr && value->getType()->isIntegerTy(64) && isInMainRegisters(*value);
  return {{Main, accesses(bits, isOfMain ? kMainRegisterBytes : align)}};
}

Issues ofSelect(const SelectInst &select) {
  const Type *const type = select.getType();
  if (!isFloating(type)) // movz
    return {{Main, elementsOf(type) * (type->isIntegerTy(64) && !isAddressWork(select) ? 2 : 1)}};
  if (!isa<FCmpInst>(select.getCondition()))
    return {{Main, 1}, {Aux, registersOf(type)}}; // a branch around a move
  const bool withZero =
      isZeroOfSelect(*select.getTrueValue()) || isZeroOfSelect(*select.getFalseValue());
  return {{Aux, (withZero ? 1u : 3u) * registersOf(type)}}; // and, andc, or
}

/// Returns the cost of reading or writing one element of a vector.
Issues ofElement(const Instruction &instruction) {
  const Value &index = *instruction.getOperand(instruction.getNumOperands() - 1);
  if (!isa<Constant>(index))
    return {{Alone, 4}}; // through memory
  // Floats are already registers of a group; a half is one part of a register.
  const Type *const vector = instruction.getOperand(0)->getType();
  const bool isHalf = bitsOf(vector->getScalarType()) == 16;
  const bool isWhole = any_of(instruction.operands(), [](const Value *operand) {
    const auto *const constant = dyn_cast<Constant>(operand);
    return constant != nullptr && (isa<PoisonValue>(constant) || constant->containsPoisonElement());
  });
  return isHalf && !isWhole ? Issues{{Aux, 1}} : Issues{};
}

/// Returns the cost of a vector of other vectors' elements. A broadcast element is an operand of
/// the instruction that uses it ("$a0:BL").
Issues ofShuffle(const ShuffleVectorInst &shuffle) {
  const bool isBroadcast =
      all_of(shuffle.getShuffleMask(), [](int element) { return element == 0; });
  return isBroadcast || choosesRegisters(shuffle) ? Issues{} : Issues{{Aux, 1}};
}

} // namespace

WorkerCosts::WorkerCosts(const Function &function, const TileLoops &loops, unsigned repeatLimit)
    : loops_(loops), repeatLimit_(repeatLimit), startsCompute_(startsCompute(function)) {}

Issues WorkerCosts::issuesOf(const Instruction &instruction) const {
  switch (instruction.getOpcode()) {
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FNeg:
  case Instruction::FDiv:
  case Instruction::FRem:
    return ofArithmetic(instruction);
  case Instruction::ICmp:
  case Instruction::FCmp:
    return ofComparison(cast<CmpInst>(instruction));
  case Instruction::ZExt:
  case Instruction::SExt:
  case Instruction::Trunc:
  case Instruction::FPExt:
  case Instruction::FPTrunc:
  case Instruction::FPToSI:
  case Instruction::FPToUI:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return ofConversion(cast<CastInst>(instruction));
  case Instruction::BitCast:
    return ofBitcast(cast<CastInst>(instruction));
  case Instruction::GetElementPtr:
    return ofAddress(cast<GetElementPtrInst>(instruction));
  case Instruction::Load:
    return isOfServices(instruction) ? Issues{} : ofLoad(cast<LoadInst>(instruction));
  case Instruction::Store:
    return isOfServices(instruction) ? Issues{} : ofStore(cast<StoreInst>(instruction));
  case Instruction::Select:
    return ofSelect(cast<SelectInst>(instruction));
  case Instruction::Ret:
    return startsCompute_ ? Issues{} : Issues{{Alone, 1}}; // exitz, br $lr
  case Instruction::Switch:
    return {{Main, std::min(6u, 2 * instruction.getNumSuccessors())}};
  case Instruction::Br:
    return ofBranch(cast<BranchInst>(instruction));
  case Instruction::Call:
    return ofCall(cast<CallInst>(instruction));
  case Instruction::ExtractElement:
  case Instruction::InsertElement:
    return ofElement(instruction);
  case Instruction::ShuffleVector:
    return ofShuffle(cast<ShuffleVectorInst>(instruction));
  default:
    // Others are free: phi, freeze, inttoptr, ptrtoint, alloca, unreachable, ...
    return isa<BinaryOperator>(instruction) ? ofInteger(instruction) : Issues{};
  }
}

/// Returns true if an increment is used only by its loop's comparison, by itself and by addresses.
/// Then the counting and the stepping instructions include it.
bool WorkerCosts::countsOnly(const Instruction &increment) const {
  const Loop *const loop = loops_.around(*increment.getParent());
  if (loop == nullptr || TileLoops::incrementOf(increment, *loop) != &increment)
    return false;
  const TileLoops::Count *const count = loops_.countOf(*loop);
  SmallVector<const Instruction *> open{&increment};
  for (const Value *const operand : increment.operands())
    if (const auto *const phi = dyn_cast<PHINode>(operand))
      open.push_back(phi);
  SmallPtrSet<const Instruction *, 16> seen;
  while (!open.empty()) {
    const Instruction *const value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (const User *const by : value->users()) {
      const auto &user = *cast<Instruction>(by);
      const bool isFree = &user == &increment || (count != nullptr && count->compare == &user) ||
                          !loop->contains(&user) || // known before the loop begins
                          isa<PHINode, GetElementPtrInst, LoadInst, StoreInst>(user);
      if (isFree)
        continue;
      // The user is a sum that becomes an index in turn.
      switch (user.getOpcode()) {
      case Instruction::Add:
      case Instruction::Sub:
      case Instruction::Shl:
      case Instruction::ZExt:
      case Instruction::SExt:
      case Instruction::Trunc:
      case Instruction::Or:
        break;
      default:
        return false;
      }
      if (!TileLoops::isStepped(user, *loop))
        return false;
      open.push_back(&user);
    }
  }
  return count != nullptr || isa<GetElementPtrInst>(increment);
}

Issues WorkerCosts::ofInteger(const Instruction &instruction) const {
  const Type *const type = instruction.getType();
  const unsigned opcode = instruction.getOpcode();
  if (isSlotMask(*instruction.getOperand(1)))
    return {};
  const bool isPart =
      opcode == Instruction::Or && type->isIntegerTy(64) && isAddressWork(instruction);
  if (isPart || countsOnly(instruction))
    return {};
  // The index is computed from an index: the accesses that use it contain its offset, and step.
  const Loop *const loop = loops_.around(*instruction.getParent());
  const bool isOfIndices =
      opcode == Instruction::Add || opcode == Instruction::Sub || opcode == Instruction::Shl;
  if (loop != nullptr && isOfIndices && isOnlyFor(instruction, Instruction::GetElementPtr) &&
      TileLoops::isStepped(instruction, *loop))
    return {};
  const unsigned elements = elementsOf(type);
  const bool isLong = bitsOf(type->getScalarType()) == 64 && !isAddressWork(instruction);
  if (elements == 1 && isPartOfXnorOrAndc(instruction))
    return {};
  if (const unsigned cycles = cyclesOfDivision(opcode, isLong))
    return {{Alone, elements * cycles}};
  if (isLong)
    return {{Main, elements * cyclesOfLong(instruction)}};
  if (elements > 1 && instruction.isBitwiseLogicOp())
    return {{Aux, registersOf(type)}};
  return {{Main, elements}};
}

Issues WorkerCosts::ofComparison(const CmpInst &compare) const {
  const Type *const type = compare.getOperand(0)->getType();
  const bool branches = isOnlyFor(compare, Instruction::Br);
  if (isa<FCmpInst>(compare)) {
    if (isOfDoubles(type))
      return {{Alone, kDoubleSum}};
    Issues issues{{Aux, registersOf(type)}};
    // Atom moves the mask to where branches can test it.
    if (branches || !isOnlyFor(compare, Instruction::Select))
      issues.push_back({Main, elementsOf(type)});
    return issues;
  }
  if (loops_.countedBy(compare) != nullptr)
    return {};
  const auto predicate = compare.getPredicate();
  const auto *const bound = dyn_cast<ConstantInt>(compare.getOperand(1));
  const bool isLong = type->isIntegerTy(64) && !isAddressWork(compare);
  // brz, brnz, brneg and brpos compare themselves.
  const bool withZero = (ICmpInst::isEquality(predicate) && isZero(*compare.getOperand(1))) ||
                        (predicate == CmpInst::ICMP_SLT && bound != nullptr && bound->isZero()) ||
                        (predicate == CmpInst::ICMP_SGT && bound != nullptr && bound->isMinusOne());
  if (branches && withZero && !isLong)
    return {};
  const bool isInverted = ICmpInst::isNonStrictPredicate(predicate) && !branches;
  const unsigned cycles = isLong ? kLongComparison : 1;
  return {{Main, elementsOf(type) * (cycles + (isInverted ? 1 : 0))}};
}

/// Returns the cost of an address. Accesses have a base, an index in units of their size, and a
/// step. Other indices cost a shift or a product.
Issues WorkerCosts::ofAddress(const GetElementPtrInst &address) const {
  if (countsOnly(address))
    return {};
  const Loop *const loop = loops_.around(*address.getParent());
  if (loop != nullptr && TileLoops::isStepped(address, *loop))
    return {};
  const auto variable = static_cast<unsigned>(
      count_if(address.indices(), [](const Value *index) { return !isa<Constant>(index); }));
  if (variable == 0)
    return {};
  const Type *const element = address.getSourceElementType();
  const bool isScalar = address.getNumIndices() == 1 && bitsOf(element) != 0;
  const bool isForAccesses = all_of(address.users(), [&](const User *user) {
    return isa<LoadInst, StoreInst>(user) &&
           bitsOf(getLoadStoreType(const_cast<User *>(user))) == bitsOf(element);
  });
  if (isScalar && isForAccesses)
    return {};
  return {{Main, variable * (element->isIntegerTy(8) ? 1 : 2)}};
}

bool WorkerCosts::isRepeated(const BasicBlock &block) const {
  const Loop *const loop = loops_.around(block);
  const TileLoops::Count *const count = loop == nullptr ? nullptr : loops_.countOf(*loop);
  if (count == nullptr || loop->getNumBlocks() != 1 || count->atMost > repeatLimit_)
    return false;
  unsigned cycles = 0;
  for (const Instruction &instruction : block.instructionsWithoutDebug()) {
    if (instruction.isTerminator())
      break;
    for (const Issue &issue : issuesOf(instruction)) {
      if (issue.lane == Alone)
        return false;
      cycles += issue.cycles;
    }
  }
  return cycles <= 256;
}

Issues WorkerCosts::ofBranch(const BranchInst &branch) const {
  if (branch.isUnconditional()) {
    // A block falls through to the next. Only the end of a loop branches back. If the loop exits at
    // its top, the tile's compiler rotates it, and its only branch is the one that exits.
    const Loop *const loop = loops_.around(*branch.getParent());
    const bool goesBack = loop != nullptr && branch.getSuccessor(0) == loop->getHeader();
    const bool isTurned = goesBack && loop->isLoopExiting(loop->getHeader());
    return goesBack && !isTurned ? Issues{{Main, 1}} : Issues{};
  }
  return isRepeated(*branch.getParent()) ? Issues{} : Issues{{Main, 1}}; // brnzdec
}

Issues WorkerCosts::ofCall(const CallInst &call) const {
  if (const auto *const assembly = dyn_cast<InlineAsm>(call.getCalledOperand())) {
    const unsigned cycles = cyclesOfAssembly(*assembly);
    return cycles == 0 ? Issues{} : Issues{{Alone, cycles}};
  }
  if (const auto *const copy = dyn_cast<MemIntrinsic>(&call)) {
    const auto *const bytes = dyn_cast<ConstantInt>(copy->getLength());
    if (bytes == nullptr)
      return {{Alone, 20}}; // the routine; perByteOf() gives the rest
    const unsigned each = isa<MemSetInst>(copy) ? 1 : 2;
    const auto size = static_cast<unsigned>(bytes->getZExtValue());
    return {{Main, std::max(1u, divideUp(size, 8)) * each}};
  }
  const Function *const callee = call.getCalledFunction();
  if (callee == nullptr) {
    // The tile's own services are one instruction each, except assembly, which counts itself.
    const StringRef service = serviceOf(call);
    if (service.empty())
      return {{Alone, 3}};
    const bool countsItself =
        service == wire::kAssemblySymbol || service == wire::kTileFunctionSymbol;
    return countsItself ? Issues{} : Issues{{Aux, 1}};
  }
  if (isa<MinMaxIntrinsic>(call) && call.getType()->isIntegerTy(64) && !isAddressWork(call))
    return {{Main, kLongComparison + 2}}; // and a movz for each word
  if (const auto known = libraryCost(callee->getName()))
    return known->cycles == 0 ? Issues{} : Issues{*known};
  if (startsCompute_ && callsCompute(call))
    return {};
  return {{Alone, 2 + call.arg_size()}};
}

std::optional<CostPerByte> WorkerCosts::perByteOf(const Instruction &instruction) const {
  const auto *const copy = dyn_cast<MemIntrinsic>(&instruction);
  if (copy == nullptr || isa<Constant>(copy->getLength()))
    return std::nullopt;
  return CostPerByte{copy->getLength(), isa<MemSetInst>(copy) ? 3u : 2u};
}

} // namespace copse::popc
