#pragma once

#include "assembly_statements.hpp"

#include "wire/codelet_abi.hpp"

#include <llvm/IR/InstrTypes.h>
#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// The source or destination of an operand of inline assembly.
struct BoundOperand {
  wire::AssemblyOperand where;
  llvm::Type *type = nullptr;
  /// The call's argument, if it is an input. A bool is passed as i1 and returned as i8.
  llvm::Value *argument = nullptr;
  std::optional<unsigned> output; ///< index of the call's output
};

/// A statement of inline assembly whose operands have registers.
struct BoundAssembly {
  std::vector<BoundOperand> operands; ///< without immediates
  std::string text; ///< the instructions, with registers and numbers in place of operands
};

/// Chooses registers for operands. It avoids the registers that \p statement clobbers or that its
/// text names. Floating-point operands get aux registers, all others main registers.
/// \param call    of inline assembly
/// \param unique  the value of %=
/// \throws AssemblyProblem
BoundAssembly bound(const llvm::CallBase &call, const AssemblyStatement &statement,
                    unsigned unique);

/// Returns the constraints of inline assembly: outputs, inputs, "~{memory}" and the like.
std::vector<std::string> assemblyConstraints(const llvm::CallBase &call);

/// Reports a mistake in a statement of inline assembly.
struct AssemblyProblem {
  std::string text;
};

} // namespace copse::popc
