#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace copse::tools {

/// Thrown for arguments that prove to be wrong only while the tool works. main() returns 2.
struct WrongArguments : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The result of a tool: records of named figures, all with the same names in the same order.
using Rows = std::vector<nlohmann::ordered_json>;

/// Returns JSON in lines, of ASCII characters only: names of other programs may contain any bytes,
/// and are printed on terminals.
std::string jsonText(const nlohmann::ordered_json &json);

/// Prints a table for people, or a JSON array of objects. The texts of a table are printed as by
/// wire::printableName().
void print(std::ostream &out, const Rows &rows, bool json);

/// Prints lines of values between commas; the first line has their names.
void printCsv(std::ostream &out, const Rows &rows);

/// Adds --json to \p app, parses, does \p work and prints its result, as a table or as a JSON array
/// of objects.
/// \returns what main() returns: 0; 1 if the work failed (reported on stderr); 2 for wrong
///   arguments
int runTool(CLI::App &app, int argc, char **argv, const std::function<Rows()> &work);

/// Runs work that prints its result itself.
/// \param work  receives true if --json was given
int runTool(CLI::App &app, int argc, char **argv, const std::function<void(bool json)> &work);

/// Prints the help that was requested, or what is wrong with the arguments.
/// \returns what main() returns: 0, or 2 for wrong arguments
int exitFor(const CLI::App &app, const CLI::ParseError &error);

} // namespace copse::tools
