#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// The clang that compiles codelets.
struct ClangChoice {
  std::vector<std::string> command; ///< COPSE_CXX may have flags: "clang++-16 -m64"
  std::string version;              ///< its output for --version
};

/// Returns the compiler that $COPSE_CXX names. Without that variable, it returns the clang that
/// belongs to the LLVM that popc is built with.
/// \throws CompileError  of one line if no clang is found or it has another version than popc's
ClangChoice chooseClang();

/// Returns the major version in a clang's output for --version, or 0 for another program.
int clangMajorIn(const std::string &version);

} // namespace copse::popc
