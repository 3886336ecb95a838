#pragma once

#include <string>

namespace copse::popc {

/// Lets a program define functions with names of builtins, as the tile's compiler does for names that it does not know: the
/// functions of the device headers that have these names get others, so that the program's own are called.
/// \param expanded  C or C++ with line markers, as the preprocessor writes it
std::string withOwnBuiltins(std::string expanded);

} // namespace copse::popc
