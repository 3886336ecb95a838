#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// The symbols of functions and variables that a source defines for others: not inline, not of a template, and not static.
/// \param llvmText  of the source
std::vector<std::string> definitionsIn(const std::string &llvmText);

} // namespace copse::popc
