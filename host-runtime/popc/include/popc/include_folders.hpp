#pragma once

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// The folders in which a compiler searches for headers.
struct IncludeFolders {
  std::vector<std::string> searched; ///< in order of the search, as the compiler spells them
  std::vector<std::string> missing;  ///< folders that would be searched if they existed
};

/// Reads the search path out of a compiler's output.
/// \param messages  what a compiler writes that is called with -v
/// \returns nothing if the output has an unknown form
std::optional<IncludeFolders> includeFoldersIn(const std::string &messages);

/// Returns \p messages without the lines that -v adds.
std::string withoutVerbosity(const std::string &messages);

} // namespace copse::popc
