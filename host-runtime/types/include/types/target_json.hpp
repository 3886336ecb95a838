#pragma once

#include "types/target_description.hpp"

#include <nlohmann/json.hpp>

namespace copse::types {

/// Returns all members of a target as JSON, for files. Equal targets give equal JSON.
nlohmann::json targetToJson(const TargetDescription &target);
/// \throws nlohmann::json::exception if a member is missing or has another type, std::out_of_range
///   if a value is not possible for a target
TargetDescription targetFromJson(const nlohmann::json &json);

} // namespace copse::types
