#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::tools {

/// How the findings of `copse check` are to be shown.
struct CheckRequest {
  std::uint64_t most = 100; ///< findings listed
  bool json = false;
  std::string output; ///< a file; empty: standard output
  std::vector<std::string>
      suppressed; ///< vertices whose findings are left out, "*" for any characters
  std::vector<std::string> suppressFiles; ///< with such names, one a line; # begins a comment
  std::vector<std::string> command;
};

/// Runs the program with its own input and output, checks what its vertices and steps do with tile memory, and prints what
/// is wrong.
/// \returns 3 if something is; else the program's exit code, or 128 and the signal that ended it
/// \throws std::runtime_error if it cannot be started or nothing can be written
int checkProgram(const CheckRequest &request);

} // namespace copse::tools
