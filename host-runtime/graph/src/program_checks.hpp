#pragma once

#include "graph/state.hpp"
#include "poplar/Program.hpp"

#include <memory>
#include <string>

/// What the constructors of programs have in common. All throw poplar::control_program_error.
namespace copse::graph {

using NodePtr = std::shared_ptr<ProgramNode>;

NodePtr newNode(ProgramKind kind, const poplar::DebugContext &debugContext);

/// "Copy 'name'" or "Copy": how messages begin.
std::string programText(const char *kind, const poplar::DebugContext &debugContext);

/// Both sides of a copy belong to one graph and have equal types and numbers of elements.
void checkCopy(const std::string &who, const poplar::Tensor &src, const poplar::Tensor &dst);

/// One element of a type that a condition may have.
/// \param boolToo  BOOL as well as INT and UNSIGNED_INT
TypedView checkedScalar(const std::string &who, const poplar::Tensor &t, bool boolToo);
/// One element of any type.
TypedView checkedElement(const std::string &who, const poplar::Tensor &t);

} // namespace copse::graph
