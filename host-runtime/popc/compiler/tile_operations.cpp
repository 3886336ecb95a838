#include "tile_operations.hpp"

#include "wire/codelet_abi.hpp"

#include <cctype>
#include <llvm/ADT/DenseMap.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/ModRef.h>
#include <llvm/Support/raw_ostream.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace copse::popc {
namespace {

using namespace llvm;

constexpr StringRef kPrefix = "copse.";

bool isHalf(const Type *type) { return type->getScalarType()->isHalfTy(); }

std::string textOf(const Type &type) {
  std::string text;
  raw_string_ostream(text) << type;
  return text;
}

/// Returns "half" or "half4"; nothing for types of which popc changes no operation.
std::optional<std::string> tagOf(const Type *type) {
  const Type *const element = type->getScalarType();
  if (!element->isHalfTy() && !element->isFloatTy() && !element->isDoubleTy())
    return std::nullopt;
  const auto *const vector = dyn_cast<FixedVectorType>(type);
  if (vector == nullptr && type->isVectorTy())
    return std::nullopt;
  return textOf(*element) + (vector == nullptr ? "" : std::to_string(vector->getNumElements()));
}

/// Returns true if a pass of LLVM must not treat the instruction as plain arithmetic.
bool isOfTile(const Instruction &instruction, TileArithmetic arithmetic) {
  switch (instruction.getOpcode()) {
  case Instruction::FDiv:
    // A constant divisor raises no event.
    return isHalf(instruction.getType()) ||
           (arithmetic == TileArithmetic::OfProgram && !isa<Constant>(instruction.getOperand(1)));
  case Instruction::FAdd:
  case Instruction::FSub:
  case Instruction::FMul:
  case Instruction::FRem:
  case Instruction::FPTrunc:
  case Instruction::SIToFP:
  case Instruction::UIToFP:
    return isHalf(instruction.getType());
  default:
    return false;
  }
}

/// Returns "copse.fadd.half2"; for conversions, with the operand's type, "copse.sitofp.i32.half".
/// The costs of operations are found by these names (library_costs.cpp).
std::string functionName(const Instruction &operation, const std::string &tag) {
  std::string words = operation.getOpcodeName();
  if (isa<CastInst>(operation))
    words += " " + textOf(*operation.getOperand(0)->getType());
  std::string name(kPrefix);
  for (const char c : words)
    name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '.';
  return name + "." + tag;
}

Function &declared(llvm::Module &module, const Instruction &operation, const std::string &name) {
  std::vector<Type *> parameters;
  for (const Value *const operand : operation.operands())
    parameters.push_back(operand->getType());
  auto *const type = FunctionType::get(operation.getType(), parameters, false);
  auto &function = *cast<Function>(module.getOrInsertFunction(name, type).getCallee());
  function.setDoesNotThrow();
  function.setWillReturn();
  function.setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
  return function;
}

/// Writes the bodies of the functions of one module.
class Bodies {
public:
  Bodies(llvm::Module &module, TileArithmetic arithmetic)
      : module_(module), context_(module.getContext()), builder_(context_),
        arithmetic_(arithmetic) {
    if (arithmetic == TileArithmetic::Saturating)
      return;
    round_ = rounding();
    for (Type *const type : {builder_.getFloatTy(), builder_.getDoubleTy()})
      divisions_[type] = divisionApart(type);
  }

  void define(Function &function, unsigned opcode) {
    function.setLinkage(GlobalValue::InternalLinkage);
    function.setAttributes({});
    function.addFnAttr(Attribute::AlwaysInline);
    function.setDoesNotThrow();
    builder_.SetInsertPoint(BasicBlock::Create(context_, "", &function));
    BasicBlock *const asked =
        arithmetic_ == TileArithmetic::OfProgram ? addModeTest(function) : nullptr;
    if (!isHalf(function.getReturnType()))
      return defineDivision(function, *asked);
    builder_.CreateRet(saturated(*plainResult(function, opcode)));
    if (asked == nullptr)
      return;
    builder_.SetInsertPoint(asked);
    Value *const exact = inFloat(function, opcode);
    builder_.CreateRet(oneByOne(function.getReturnType(), {exact}, round_));
  }

private:
  /// Continues in a block for the plain rules.
  /// \returns the block for other rules
  BasicBlock *addModeTest(Function &function) {
    BasicBlock *const quick = BasicBlock::Create(context_, "quick", &function);
    BasicBlock *const asked = BasicBlock::Create(context_, "asked", &function);
    LoadInst *const mode = builder_.CreateAlignedLoad(
        builder_.getInt32Ty(), variable(wire::kHalfMaskSymbol, builder_.getInt32Ty()), Align(4));
    mode->setMetadata(LLVMContext::MD_tbaa, modeTag());
    builder_.CreateCondBr(builder_.CreateICmpNE(mode, builder_.getInt32(0)), quick, asked);
    builder_.SetInsertPoint(quick);
    return asked;
  }

  /// A variable of its own kind, so that no store of the module may change it.
  MDNode *modeTag() {
    MDBuilder metadata(context_);
    MDNode *const type = metadata.createTBAAScalarTypeNode(
        "what the program says of arithmetic", metadata.createTBAARoot("Simple C++ TBAA"));
    return metadata.createTBAAStructTagNode(type, type, 0);
  }

  GlobalVariable *variable(const char *name, Type *type) {
    if (GlobalVariable *const known = module_.getGlobalVariable(name, true))
      return known;
    return new GlobalVariable(module_, type, false, GlobalValue::ExternalLinkage, nullptr, name);
  }

  Type *inFloats(Type *type) { return type->getWithNewType(builder_.getFloatTy()); }

  void defineDivision(Function &function, BasicBlock &asked) {
    Value *const a = function.getArg(0), *const b = function.getArg(1);
    builder_.CreateRet(builder_.CreateFDiv(a, b));
    builder_.SetInsertPoint(&asked);
    builder_.CreateRet(oneByOne(function.getReturnType(), {a, b},
                                divisions_[function.getReturnType()->getScalarType()]));
  }

  Value *plainResult(Function &function, unsigned opcode) {
    if (function.arg_size() == 1)
      return builder_.CreateFPTrunc(inFloat(function, opcode), function.getReturnType());
    return builder_.CreateBinOp(Instruction::BinaryOps(opcode), function.getArg(0),
                                function.getArg(1));
  }

  /// Computes the exact result, or the nearest float.
  Value *inFloat(Function &function, unsigned opcode) {
    Type *const floats = inFloats(function.getReturnType());
    Value *const a = function.getArg(0);
    if (function.arg_size() == 2) {
      Value *const left = builder_.CreateFPExt(a, floats);
      Value *const right = builder_.CreateFPExt(function.getArg(1), floats);
      return builder_.CreateBinOp(Instruction::BinaryOps(opcode), left, right);
    }
    // A frozen operand keeps LLVM from merging this conversion with the one before it.
    return a->getType() == floats ? builder_.CreateFreeze(a)
                                  : builder_.CreateCast(Instruction::CastOps(opcode), a, floats);
  }

  /// Turns an infinity into the largest half, whose code is the next lower one. It uses integers:
  /// at most three instructions for as many halves as a register holds.
  Value *saturated(Value &half) {
    constexpr std::uint64_t kSize = 0x7FFF, kInfinity = 0x7C00;
    Type *const words = half.getType()->getWithNewType(builder_.getInt16Ty());
    Value *const bits = builder_.CreateBitCast(&half, words);
    Value *const size = builder_.CreateAnd(bits, ConstantInt::get(words, kSize));
    Value *const isBig = builder_.CreateICmpEQ(size, ConstantInt::get(words, kInfinity));
    return builder_.CreateBitCast(builder_.CreateAdd(bits, builder_.CreateSExt(isBig, words)),
                                  half.getType());
  }

  /// Calls \p function for each element of \p operands, and returns a value of \p type with its
  /// results.
  Value *oneByOne(Type *type, const std::vector<Value *> &operands, Function *function) {
    const auto *const vector = dyn_cast<FixedVectorType>(type);
    if (vector == nullptr)
      return builder_.CreateCall(function, operands);
    Value *all = PoisonValue::get(type);
    for (unsigned i = 0; i < vector->getNumElements(); ++i) {
      std::vector<Value *> elements;
      elements.reserve(operands.size());
      for (Value *const operand : operands)
        elements.push_back(builder_.CreateExtractElement(operand, i));
      all = builder_.CreateInsertElement(all, builder_.CreateCall(function, elements), i);
    }
    return all;
  }

  /// Returns a function that is called only if the program has changed the rules. Two calls are
  /// never merged, because the tile may draw random numbers, and no call is executed early. But
  /// calls change nothing that the module can see, so that loops need not reload their pointers.
  /// \param body  writes the body and returns the result
  template <class Body>
  Function *rarelyCalled(const std::string &name, Type *result, unsigned parameters,
                         Type *parameter, Body body) {
    Function *const function = Function::Create(
        FunctionType::get(result, std::vector<Type *>(parameters, parameter), false),
        GlobalValue::InternalLinkage, name, module_);
    function->addFnAttr(Attribute::Cold);
    function->addFnAttr(Attribute::NoInline);
    function->setDoesNotThrow();
    function->setWillReturn();
    function->setMemoryEffects(MemoryEffects::inaccessibleMemOnly());
    builder_.SetInsertPoint(BasicBlock::Create(context_, "", function));
    builder_.CreateRet(body(*function));
    return function;
  }

  Function *rounding() {
    return rarelyCalled(
        "copse.round", builder_.getHalfTy(), 1, builder_.getFloatTy(), [&](Function &function) {
          Value *const round = builder_.CreateLoad(
              builder_.getPtrTy(), variable(wire::kRoundToHalfSymbol, builder_.getPtrTy()));
          CallInst *const bits = builder_.CreateCall(
              FunctionType::get(builder_.getInt16Ty(), {builder_.getFloatTy()}, false), round,
              {function.getArg(0)});
          bits->addRetAttr(Attribute::ZExt);
          return builder_.CreateBitCast(bits, builder_.getHalfTy());
        });
  }

  Function *divisionApart(Type *type) {
    return rarelyCalled("copse.divide." + textOf(*type), type, 2, type, [&](Function &function) {
      return builder_.CreateFDiv(function.getArg(0), function.getArg(1));
    });
  }

  llvm::Module &module_;
  LLVMContext &context_;
  IRBuilder<> builder_;
  TileArithmetic arithmetic_;
  Function *round_ = nullptr;
  DenseMap<Type *, Function *> divisions_;
};

/// Returns the operation that a function of TileOperationsPass stands for.
std::optional<unsigned> operationOf(const Function &function) {
  StringRef name = function.getName();
  if (!function.isDeclaration() || !name.consume_front(kPrefix))
    return std::nullopt;
  name = name.take_until([](char c) { return c == '.'; });
  for (const unsigned opcode : {Instruction::FAdd, Instruction::FSub, Instruction::FMul,
                                Instruction::FDiv, Instruction::FRem})
    if (name == Instruction::getOpcodeName(opcode))
      return opcode;
  for (const unsigned opcode : {Instruction::FPTrunc, Instruction::SIToFP, Instruction::UIToFP})
    if (name == Instruction::getOpcodeName(opcode))
      return opcode;
  return std::nullopt;
}

} // namespace

PreservedAnalyses TileOperationsPass::run(llvm::Module &module, ModuleAnalysisManager &) {
  std::vector<Instruction *> operations;
  for (Function &function : module)
    for (Instruction &instruction : instructions(function))
      if (isOfTile(instruction, arithmetic_))
        operations.push_back(&instruction);
  for (Instruction *const operation : operations) {
    const auto tag = tagOf(operation->getType());
    if (!tag)
      continue;
    Function &function = declared(module, *operation, functionName(*operation, *tag));
    const std::vector<Value *> arguments(operation->op_begin(), operation->op_end());
    CallInst *const call = CallInst::Create(&function, arguments, "", operation);
    call->copyMetadata(*operation);
    call->takeName(operation);
    operation->replaceAllUsesWith(call);
    operation->eraseFromParent();
  }
  return PreservedAnalyses::none();
}

PreservedAnalyses TileBodiesPass::run(llvm::Module &module, ModuleAnalysisManager &) {
  std::vector<std::pair<Function *, unsigned>> operations;
  for (Function &function : module)
    if (const auto opcode = operationOf(function))
      operations.emplace_back(&function, *opcode);
  if (operations.empty())
    return PreservedAnalyses::all();
  Bodies bodies(module, arithmetic_);
  for (const auto &[function, opcode] : operations)
    bodies.define(*function, opcode);
  return PreservedAnalyses::none();
}

} // namespace copse::popc
