#pragma once

#include <optional>
#include <string>
#include <vector>

namespace copse::popc {

/// Where a compiler looks for what a source includes.
struct IncludeFolders {
  std::vector<std::string> searched; ///< in this order, as the compiler spells them
  std::vector<std::string> missing;  ///< it would look here, too, if they were there
};

/// \param messages  of a compiler that was called with -v
/// \returns nothing if they are not understood
std::optional<IncludeFolders> includeFoldersIn(const std::string &messages);

/// The same messages without what -v adds to them.
std::string withoutVerbosity(const std::string &messages);

} // namespace copse::popc
