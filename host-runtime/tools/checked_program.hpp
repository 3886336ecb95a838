#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace copse::tools {

/// How the findings of `copse check` are shown.
struct CheckRequest {
  std::uint64_t most = 100; ///< most findings that are listed
  bool json = false;
  std::string output; ///< a file; empty: standard output
  /// Vertices whose findings are left out; "*" stands for any characters.
  std::vector<std::string> suppressed;
  std::vector<std::string> suppressFiles; ///< files with such names, one a line; # begins a comment
  std::vector<std::string> command;
};

/// Runs the program with its own input and output, checks what its vertices and steps do with tile
/// memory, and prints the findings.
/// \returns 3 if there are findings; else the program's exit code, or 128 and the signal that ended
///   it
/// \throws std::runtime_error if it cannot be started or nothing can be written
int checkProgram(const CheckRequest &request);

} // namespace copse::tools
