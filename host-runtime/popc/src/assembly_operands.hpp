#pragma once

#include "assembly_call.hpp"
#include "assembly_statements.hpp"

#include "wire/codelet_abi.hpp"

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// The source or destination of an operand of inline assembly.
struct BoundOperand {
  wire::AssemblyOperand where;
  std::string type;                 ///< LLVM's
  std::optional<unsigned> argument; ///< index of the call's argument, if it is an input
  std::string argumentType;         ///< LLVM's type; a bool is passed as i1 and returned as i8
  std::optional<unsigned> output;   ///< index of the call's output
};

/// A statement of inline assembly whose operands have registers.
struct BoundAssembly {
  std::vector<BoundOperand> operands; ///< without immediates
  std::string text; ///< the instructions, with registers and numbers in place of operands
};

/// Chooses registers for operands. It avoids the registers that \p statement clobbers or that its
/// text names. Floating-point operands get aux registers, all others main registers.
/// \param unique  the value of %=
/// \throws AssemblyProblem
BoundAssembly bound(const AssemblyCall &call, const AssemblyStatement &statement, unsigned unique);

/// Reports a mistake in a statement of inline assembly.
struct AssemblyProblem {
  std::string text;
};

} // namespace copse::popc
