#pragma once

#include <CLI/CLI.hpp>

namespace copse::tools {

/// Puts the commands of copse into groups, and examples below the help of each.
void completeHelp(CLI::App &copse);

} // namespace copse::tools
