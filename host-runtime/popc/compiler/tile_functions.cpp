#include "tile_functions.hpp"

#include "wire/codelet_abi.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace copse::popc {
namespace {

using namespace llvm;

bool isAux(const Type &type) { return type.isFloatTy() || type.isHalfTy(); }

bool isInteger(const Type &type) {
  return type.isIntegerTy(1) || type.isIntegerTy(8) || type.isIntegerTy(16) || type.isIntegerTy(32);
}

bool fitsRegisters(const FunctionType &type) {
  const Type &result = *type.getReturnType();
  const auto areAux = count_if(type.params(), [](const Type *one) { return isAux(*one); });
  const auto areMain = static_cast<std::ptrdiff_t>(type.getNumParams()) - areAux;
  return !type.isVarArg() && (result.isVoidTy() || isInteger(result) || isAux(result)) &&
         areAux <= static_cast<std::ptrdiff_t>(wire::kAuxArguments) &&
         areMain <= static_cast<std::ptrdiff_t>(wire::kMainArguments) &&
         all_of(type.params(), [](const Type *one) {
           return isAux(*one) || isInteger(*one) || one->isPointerTy();
         });
}

/// Writes one function's body, which stores the arguments into a wire::TileCall. Its words of 64
/// bits are first those for $m0 and up, then those for $a0 and up.
class Body {
public:
  explicit Body(Function &function)
      : function_(function), builder_(BasicBlock::Create(function.getContext(), "", &function)) {}

  void write() {
    Type *const registers =
        ArrayType::get(builder_.getInt64Ty(), wire::kMainArguments + wire::kAuxArguments);
    registers_ = builder_.CreateAlloca(registers);
    builder_.CreateStore(Constant::getNullValue(registers), registers_);
    for (Argument &argument : function_.args())
      store(argument);
    call();
    Type &result = *function_.getReturnType();
    if (result.isVoidTy())
      builder_.CreateRetVoid();
    else
      builder_.CreateRet(load(result));
  }

private:
  void store(Argument &argument) {
    Type &type = *argument.getType();
    Value *word = &argument;
    if (type.isPointerTy()) {
      word = builder_.CreatePtrToInt(word, builder_.getInt64Ty());
    } else {
      if (isAux(type))
        word = builder_.CreateBitCast(word, bitsOf(type));
      if (argument.hasSExtAttr())
        word = builder_.CreateSExt(word, builder_.getInt32Ty());
      word = builder_.CreateZExt(word, builder_.getInt64Ty());
    }
    builder_.CreateStore(word, isAux(type) ? auxRegister(aux_++) : mainRegister(main_++));
  }

  void call() {
    llvm::Module &module = *function_.getParent();
    Type *const pointer = builder_.getPtrTy();
    Value *const service =
        builder_.CreateLoad(pointer, module.getOrInsertGlobal(wire::kTileFunctionSymbol, pointer));
    builder_.CreateCall(FunctionType::get(builder_.getVoidTy(), {pointer, pointer}, false), service,
                        {builder_.CreateGlobalStringPtr(function_.getName()), registers_});
  }

  Value *load(Type &type) {
    Value *const word =
        builder_.CreateLoad(builder_.getInt64Ty(), isAux(type) ? auxRegister(0) : mainRegister(0));
    return builder_.CreateBitCast(builder_.CreateTrunc(word, isAux(type) ? bitsOf(type) : &type),
                                  &type);
  }

  Type *bitsOf(const Type &type) {
    return builder_.getIntNTy(static_cast<unsigned>(type.getScalarSizeInBits()));
  }
  Value *mainRegister(std::size_t number) {
    return builder_.CreateConstInBoundsGEP1_64(builder_.getInt64Ty(), registers_, number);
  }
  Value *auxRegister(std::size_t number) { return mainRegister(wire::kMainArguments + number); }

  Function &function_;
  IRBuilder<> builder_;
  Value *registers_ = nullptr;
  std::size_t main_ = 0, aux_ = 0;
};

} // namespace

std::optional<std::string> declarationForTile(const Function &function) {
  if (!fitsRegisters(*function.getFunctionType()))
    return std::nullopt;
  llvm::Module alone("", function.getContext());
  Function &plain = *Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage,
                                      function.getName(), alone);
  for (const Attribute::AttrKind extension : {Attribute::SExt, Attribute::ZExt}) {
    if (function.hasRetAttribute(extension))
      plain.addRetAttr(extension);
    for (const Argument &argument : function.args())
      if (argument.hasAttribute(extension))
        plain.addParamAttr(argument.getArgNo(), extension);
  }
  std::string text;
  raw_string_ostream(text) << plain;
  return StringRef(text).trim().str();
}

PreservedAnalyses TileFunctionsPass::run(llvm::Module &module, ModuleAnalysisManager &) {
  for (Function &function : module)
    if (function.isDeclaration()) {
      function.setVisibility(GlobalValue::HiddenVisibility);
      Body(function).write();
    }
  return PreservedAnalyses::none();
}

} // namespace copse::popc
