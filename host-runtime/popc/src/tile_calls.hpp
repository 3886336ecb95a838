#pragma once

#include <optional>
#include <string>
#include <vector>

/// Functions of tile code that native code calls. Which there are is known when a graph is
/// compiled; until then a module calls them by name (wire::kTileFunctionSymbol).
namespace copse::popc {

/// The functions with C's names that LLVM's text of a module declares and does not define, each as
/// the line that declares it.
std::vector<std::string> declarationsIn(const std::string &llvmText);

/// LLVM's text of a module that defines functions of tile code.
/// \param symbols  of the functions, not empty
/// \returns nothing if one is not among the declarations, or takes or returns what has no place in
/// the registers of a call: $m0 to $m3 for integers and pointers, $a0 to $a5 for floats and halves
std::optional<std::string> tileCalls(const std::vector<std::string> &symbols,
                                     const std::vector<std::string> &declarations);

} // namespace copse::popc
