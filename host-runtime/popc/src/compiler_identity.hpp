#pragma once

#include <string>
#include <vector>

namespace copse::popc {

/// Returns what tells two compilers of equal name and version apart: the files that \p command
/// names, with their sizes and times, and the environment variables that compilers read.
std::string compilerIdentity(const std::vector<std::string> &command);

} // namespace copse::popc
