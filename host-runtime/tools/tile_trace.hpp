#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace copse::tools {

/// The tile instructions of a program that are traced, and how they are shown.
struct TraceRequest {
  std::optional<std::uint32_t> ipu, tile, worker; ///< nothing: all IPUs
  bool supervisor = false;                        ///< only this tile
  /// Prints sums per class of vertices, instead of a list.
  bool statistics = false;
  std::uint64_t most = 100'000; ///< most instructions listed by one IPU
  bool json = false;
  std::string output; ///< a file; empty: standard output
  std::vector<std::string> command;
};

/// Runs the program with its own input and output, then prints what its IPUs executed.
/// \returns the program's exit code, or 128 and the signal that ended it
/// \throws std::runtime_error if it cannot be started or nothing can be written
int traceProgram(const TraceRequest &request);

} // namespace copse::tools
