#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/InstrTypes.h>

namespace copse::popc {

/// On the tile, services of ipud are instructions, and operands of inline assembly are in
/// registers. Here they are variables of ipud with functions, and memory (wire/codelet_abi.hpp).

/// Returns the variable with the service that a call calls, such as "__copseMatrix"; nothing for
/// other calls.
llvm::StringRef serviceOf(const llvm::CallBase &call);

/// Returns true for loads and stores that only this machine needs.
bool isOfServices(const llvm::Instruction &access);

} // namespace copse::popc
