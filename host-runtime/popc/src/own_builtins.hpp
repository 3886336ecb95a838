#pragma once

#include <string>

namespace copse::popc {

/// Lets a program define functions with names of builtins. The tile's compiler permits this for
/// names that it does not know. Renames the device headers' functions of these names, so that the
/// program's own are called.
/// \param expanded  preprocessed C or C++ with line markers
std::string withOwnBuiltins(std::string expanded);

} // namespace copse::popc
