#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <sys/types.h>
#include <vector>

/// Programs whose IPUs write files that a tool then reads.
namespace copse::tools {

/// Thrown if there is no such program, or if it cannot be executed.
struct ProgramNotStarted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Starts a program with this one's input, output and environment.
/// \param beforeIt  called first in its process
/// \throws ProgramNotStarted
pid_t startProgram(const std::vector<std::string> &command, const std::function<void()> &beforeIt);

/// Runs a program in the same way, to its end.
/// \returns the exit code as a shell shows it: the program's, or 128 and the signal
/// \throws ProgramNotStarted
int runProgram(const std::vector<std::string> &command);

/// Calls \p use with each JSON object of the files in \p folder whose names end in \p ending: one
/// object a line, files in the order of their names.
/// \returns true if there is such a file
bool forEachObject(const std::filesystem::path &folder, const std::string &ending,
                   const std::function<void(nlohmann::ordered_json)> &use);

/// Calls \p write with a stream to the file \p path, or to standard output if that is empty.
/// \throws std::runtime_error if the file cannot be written
void writeOutput(const std::string &path, const std::function<void(std::ostream &)> &write);

} // namespace copse::tools
