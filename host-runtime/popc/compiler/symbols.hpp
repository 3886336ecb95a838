#pragma once

#include <string>
#include <vector>

namespace llvm {
class Module;
}

namespace copse::popc {

/// Returns the symbols of \p module that other modules may use: those that it defines, and that the
/// linker takes from no other module.
std::vector<std::string> definitionsIn(const llvm::Module &module);

/// Returns the functions that \p module declares and does not define, and that may be tile code:
/// they have names of C. Each is the line of LLVM's text that declares it (tile_functions.hpp).
std::vector<std::string> declarationsIn(const llvm::Module &module);

} // namespace copse::popc
