#pragma once

#include "types/target_description.hpp"

#include <nlohmann/json.hpp>

namespace copse::types {

/// All of a target, for files. Equal targets give equal JSON.
nlohmann::json targetToJson(const TargetDescription &target);
/// \throws nlohmann::json::exception if a member is missing or of another type, std::out_of_range
/// if a value is none that a target can have
TargetDescription targetFromJson(const nlohmann::json &json);

} // namespace copse::types
