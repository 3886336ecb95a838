#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace copse::popc {

struct ChildResult {
  int exitCode = 0; ///< 128 + the signal number after a signal; 127 if the program did not start
  std::string output;
  std::string errors;
};

/// The time that one run of the compiler or the linker may take, however large the source is
/// [wall-clock].
inline constexpr std::chrono::seconds kCompileDeadline{600};

/// Runs a program without a shell and waits for its end.
/// \param arguments  the program, which is looked for on the PATH, and its arguments
/// \param input      its standard input
/// \param directory  its working directory; empty: the current one
/// \param deadline   the time after which it is killed; exitCode is 128 + SIGKILL then [wall-clock]
ChildResult runChild(const std::vector<std::string> &arguments, std::string_view input,
                     const std::string &directory, std::chrono::seconds deadline);

} // namespace copse::popc
