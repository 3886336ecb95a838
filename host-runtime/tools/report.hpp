#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

namespace copse::tools {

/// What a tool has to say: records of named figures, all with the same names in the same order.
using Rows = std::vector<nlohmann::ordered_json>;

/// As a table for people, or as a JSON array of objects.
void print(std::ostream &out, const Rows &rows, bool json);

/// Adds --json to \p app, parses, does \p work and prints what it returns: as a table, or as a JSON
/// array of objects.
/// \returns what main() returns: 0; 1 if the work failed, said on stderr; 2 for wrong arguments
int runTool(CLI::App &app, int argc, char **argv, const std::function<Rows()> &work);

} // namespace copse::tools
