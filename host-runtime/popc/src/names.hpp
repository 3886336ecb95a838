#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// Returns the one canonical spelling of a vertex class for any spelling of a compiler or a user:
/// blanks only inside names of types, "unsigned int" for "unsigned", numbers without suffixes.
std::string canonicalName(std::string_view spelling);

/// Returns the entry point of a vertex class with canonical name \p name. Source: guide, 3.5; for
/// underscores in template arguments: assembly sources of libraries.
std::string entrySymbol(std::string_view name);

} // namespace copse::popc
