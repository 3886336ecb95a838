#pragma once

#include <optional>
#include <string>
#include <vector>

/// Native code may call functions of tile code. These are known only when a graph is compiled;
/// until then a module calls them by name (wire::kTileFunctionSymbol).
namespace copse::popc {

/// Returns LLVM's text of a module that defines wrappers for functions of tile code.
/// \param symbols       the functions, at least one
/// \param declarations  lines of LLVM's text that declare functions (CompiledObject::declarations)
/// \returns nothing if a function has no declaration, or if its arguments or its result do not fit
///   into the registers of a call: $m0 to $m3 for integers and pointers, $a0 to $a5 for floats and
///   halves
std::optional<std::string> tileCalls(const std::vector<std::string> &symbols,
                                     const std::vector<std::string> &declarations);

} // namespace copse::popc
