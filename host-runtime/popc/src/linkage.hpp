#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// Returns the symbols of functions and variables that a source defines for others: those that are
/// neither inline, nor static, nor instantiations of a template.
/// \param llvmText  LLVM's text of the source
std::vector<std::string> definitionsIn(const std::string &llvmText);

} // namespace copse::popc
