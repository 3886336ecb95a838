#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::tools {

/// What `copse debug` is to stop at, and what gdb is to do there.
struct DebugRequest {
  std::string
      where; ///< "VERTEX" or "VERTEX:TILE"; empty: the first vertex that runs, and none after it
  std::optional<std::uint32_t> ipu;  ///< none: whichever reaches such a vertex first
  bool batch = false;                ///< gdb ends after its commands
  std::vector<std::string> files;    ///< of commands for gdb
  std::vector<std::string> commands; ///< for gdb, after the files
  std::vector<std::string> command;  ///< the program and its arguments
};

/// Runs the program until one of its IPUs stands before a vertex that is asked for, and gdb on the process of that IPU; then
/// waits for the program's end.
/// \returns the program's exit code, or 128 and the signal that ended it; 1 if no IPU reached such a vertex
/// \throws std::runtime_error if gdb or its file of commands is missing, or something cannot be started
int debugProgram(const DebugRequest &request);

} // namespace copse::tools
