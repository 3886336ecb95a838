#pragma once

#include <string>
#include <string_view>

namespace copse::popc {

/// The one spelling of a vertex class, from any that a compiler or a user may give: no blanks but
/// inside the names of types, "unsigned" is "unsigned int", no suffixes on numbers.
std::string canonicalName(std::string_view spelling);

/// The entry point of a vertex class with canonical name \p name.  Source: guide, 3.5; underscores
/// in template arguments: assembly sources of libraries
std::string entrySymbol(std::string_view name);

} // namespace copse::popc
