#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace copse::accuracy {

/// Checks that an object of a file of figures has only entries that are read.
/// \throws std::runtime_error  which names the first entry that is not in \p known
void refuseUnknown(const nlohmann::json &object, const std::set<std::string> &known);

} // namespace copse::accuracy
