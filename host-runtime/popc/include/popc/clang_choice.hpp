#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// The clang that compiles codelets.
struct ClangChoice {
  std::vector<std::string> command; ///< COPSE_CXX may have flags of its own: "clang++-16 -m64"
  std::string version;              ///< what it says with --version
};

/// Takes $COPSE_CXX if that is set; else the clang of the libclang that popc reads codelets with.
/// \throws CompileError in one line if there is none, or it is too old
ClangChoice chooseClang();

/// The major version in what a clang says with --version, or 0 if it is no clang.
int clangMajorIn(const std::string &version);

} // namespace copse::popc
