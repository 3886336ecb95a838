#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::tools {

/// Says where `copse debug` stops, and what gdb does there.
struct DebugRequest {
  /// "VERTEX" or "VERTEX:TILE"; empty: the first vertex that runs, and none after it.
  std::string where;
  std::optional<std::uint32_t> ipu;  ///< nothing: the first IPU that reaches such a vertex
  bool batch = false;                ///< gdb ends after its commands
  std::vector<std::string> files;    ///< files of commands for gdb
  std::vector<std::string> commands; ///< commands for gdb, after the files
  std::vector<std::string> command;  ///< the program and its arguments
};

/// Runs the program until one of its IPUs reaches a vertex of the request, runs gdb on the process
/// of that IPU, and waits for the program's end.
/// \returns the program's exit code, or 128 and the signal that ended it; 1 if no IPU reached such
///   a vertex
/// \throws std::runtime_error if gdb or its file of commands is missing, or a program cannot be
///   started
int debugProgram(const DebugRequest &request);

} // namespace copse::tools
