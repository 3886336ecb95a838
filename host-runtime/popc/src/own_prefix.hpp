#pragma once

#include <filesystem>
#include <optional>

namespace copse::popc {

/// Returns the folder that contains the `bin` or `lib` of the file that this code was loaded from:
/// the prefix of an installation, or the folder of a build.
std::optional<std::filesystem::path> ownPrefix();

} // namespace copse::popc
