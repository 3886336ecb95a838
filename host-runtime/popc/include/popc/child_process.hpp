#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

struct ChildResult {
  int exitCode = 0; ///< 128 + the signal, if one ended it; 127 if the program could not be started
  std::string output;
  std::string errors;
};

/// For one run of the compiler or the linker, however large the source [wall-clock].
inline constexpr std::chrono::seconds kCompileDeadline{600};

/// Runs a program (found on the PATH) to its end, without a shell.
/// \param input     its standard input
/// \param directory it runs there; empty: the current one
/// \param deadline  after which it is killed, and exitCode is 128 + SIGKILL [wall-clock]
ChildResult runChild(const std::vector<std::string> &arguments, std::string_view input,
                     const std::string &directory, std::chrono::seconds deadline);

} // namespace copse::popc
