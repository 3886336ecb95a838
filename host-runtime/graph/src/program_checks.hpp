#pragma once

#include "graph/state.hpp"
#include "poplar/Program.hpp"

#include <memory>
#include <string>

/// Common checks of the constructors of programs. All throw poplar::control_program_error.
namespace copse::graph {

using NodePtr = std::shared_ptr<ProgramNode>;

NodePtr newNode(ProgramKind kind, const poplar::DebugContext &debugContext);

/// Returns the beginning of messages: "Copy 'name'" or "Copy".
std::string programText(const char *kind, const poplar::DebugContext &debugContext);

/// Checks that both sides of a copy belong to one graph, and have equal types and numbers of
/// elements.
void checkCopy(const std::string &who, const poplar::Tensor &src, const poplar::Tensor &dst);

/// Returns the single element of \p t, whose type a condition may have.
/// \param boolToo  accept BOOL in addition to INT and UNSIGNED_INT
TypedView checkedScalar(const std::string &who, const poplar::Tensor &t, bool boolToo);
/// Returns the single element of \p t, of any type.
TypedView checkedElement(const std::string &who, const poplar::Tensor &t);

} // namespace copse::graph
