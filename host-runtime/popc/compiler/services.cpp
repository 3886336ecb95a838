#include "services.hpp"

#include "wire/codelet_abi.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace copse::popc {
namespace {

using namespace llvm;

StringRef nameOfGlobal(const Value &pointer) {
  const auto *const global = dyn_cast<GlobalVariable>(getUnderlyingObject(&pointer));
  return global == nullptr ? StringRef() : global->getName();
}

bool isVariableOfService(const Value &pointer) {
  const StringRef name = nameOfGlobal(pointer);
  return name.starts_with("__copse") || name.starts_with("copse.");
}

/// Returns true for the memory with the operands of one statement.
bool holdsOperandsOfAssembly(const AllocaInst &variable) {
  return any_of(variable.users(), [](const User *user) {
    const auto *const call = dyn_cast<CallBase>(user);
    return call != nullptr && serviceOf(*call) == wire::kAssemblySymbol;
  });
}

} // namespace

StringRef serviceOf(const CallBase &call) {
  const auto *const function = dyn_cast<LoadInst>(call.getCalledOperand());
  if (function == nullptr)
    return {};
  const StringRef name = nameOfGlobal(*function->getPointerOperand());
  return name.starts_with("__copse") ? name : StringRef();
}

bool isOfServices(const Instruction &access) {
  const Value *const pointer = getLoadStorePointerOperand(&access);
  const auto *const store = dyn_cast<StoreInst>(&access);
  if (isVariableOfService(*pointer) ||
      (store != nullptr && isa<Constant>(store->getValueOperand()) &&
       isVariableOfService(*store->getValueOperand())))
    return true;
  const auto *const variable = dyn_cast<AllocaInst>(getUnderlyingObject(pointer));
  return variable != nullptr && holdsOperandsOfAssembly(*variable);
}

} // namespace copse::popc
