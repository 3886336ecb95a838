#pragma once

#include <string>

/// Changes LLVM's text of a module for debuggers.
namespace copse::popc {

/// Keeps the vertex of each compute() alive to the function's end, so that a debugger can read
/// fields on every line.
/// \param module  a module whose cycles are already counted
std::string withVertexInSight(const std::string &module);

} // namespace copse::popc
