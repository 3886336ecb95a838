#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

/// Programs whose IPUs leave files behind that a tool then reads.
namespace copse::tools {

/// Runs a program with this one's input, output and environment.
/// \returns as a shell does: the exit code, or 128 and the signal
/// \throws std::runtime_error if no process can be made
int runProgram(const std::vector<std::string> &command);

/// Calls \p use with each JSON object of the files in \p folder whose names end in \p ending: one a line, files in the
/// order of their names.
/// \returns whether there is such a file
bool forEachObject(const std::filesystem::path &folder, const std::string &ending,
                   const std::function<void(nlohmann::ordered_json)> &use);

/// Lets \p write write to the file \p path, or to standard output if that is empty.
/// \throws std::runtime_error if the file cannot be written
void writeOutput(const std::string &path, const std::function<void(std::ostream &)> &write);

} // namespace copse::tools
