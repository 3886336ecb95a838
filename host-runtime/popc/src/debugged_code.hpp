#pragma once

#include <string>

/// Code that a debugger is to make sense of, in LLVM's text.
namespace copse::popc {

/// A compute() knows its vertex to its end, so that fields can be read on every line.
/// \param module  in which the cycles are counted
std::string withVertexInSight(const std::string &module);

} // namespace copse::popc
