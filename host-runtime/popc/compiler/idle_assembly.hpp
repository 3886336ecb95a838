#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>

namespace copse::popc {

/// Inserts inline assembly that takes \p cycles on the tile and does nothing here.
void addIdleAssembly(llvm::IRBuilderBase &builder, unsigned cycles);

/// Returns the cycles of a statement that addIdleAssembly() inserted, and 0 for other inline
/// assembly, which popc leaves only where a statement has no instructions.
unsigned cyclesOfAssembly(const llvm::InlineAsm &assembly);

} // namespace copse::popc
