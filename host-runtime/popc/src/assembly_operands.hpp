#pragma once

#include "assembly_call.hpp"
#include "assembly_statements.hpp"

#include "wire/codelet_abi.hpp"

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// Where an operand of inline assembly comes from or goes to.
struct BoundOperand {
  wire::AssemblyOperand where;
  std::string type;                 ///< LLVM's
  std::optional<unsigned> argument; ///< of the call, if it is an input
  std::string argumentType;         ///< LLVM's; a bool goes in as i1, and comes out as i8
  std::optional<unsigned> output;   ///< of the call
};

/// A statement of inline assembly whose operands have registers.
struct BoundAssembly {
  std::vector<BoundOperand> operands; ///< without immediates
  std::string text;                   ///< with registers and numbers in place of operands
};

/// Chooses registers: not those that \p statement clobbers or its text names. Floating-point
/// operands get aux registers, all others main ones.
/// \param unique  what %= stands for
/// \throws AssemblyProblem
BoundAssembly bound(const AssemblyCall &call, const AssemblyStatement &statement, unsigned unique);

/// What is wrong with a statement of inline assembly.
struct AssemblyProblem {
  std::string text;
};

} // namespace copse::popc
