#pragma once

#include <chrono>
#include <memory>
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

/// A program that runs beside this one, without a shell. It is killed when the object goes.
class ChildProcess {
public:
  /// Starts it.
  /// \param arguments  the program, which is looked for on the PATH, and its arguments
  /// \param directory  its working directory; empty: the current one
  ChildProcess(const std::vector<std::string> &arguments, const std::string &directory);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Writes \p input to the program and waits until it closes its standard output.
  /// \param deadline  the time after which it is killed, and errors say so [wall-clock]
  /// \returns what it has written until then, with 0 for the exit code
  ChildResult answer(std::string_view input, std::chrono::seconds deadline);
  /// Writes \p input, ends the program's standard input, and waits for the program's end.
  /// \param deadline  the time after which it is killed; exitCode is 128 + SIGKILL then, and
  ///   errors say so [wall-clock]
  /// \returns what it has written since answer()
  ChildResult end(std::string_view input, std::chrono::seconds deadline);

private:
  struct Running;
  std::unique_ptr<Running> running_; ///< nothing if it did not start, or has ended
};

/// Runs a program without a shell and waits for its end.
/// \param input  its standard input
ChildResult runChild(const std::vector<std::string> &arguments, std::string_view input,
                     const std::string &directory, std::chrono::seconds deadline);

} // namespace copse::popc
