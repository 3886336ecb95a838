#pragma once

#include "poplar/ProfileValue.hpp"

#include <nlohmann/json.hpp>

namespace copse::types {

nlohmann::json toJson(const poplar::ProfileValue &value);
/// Turns binary and discarded values into empty ones.
poplar::ProfileValue fromJson(const nlohmann::json &json);

} // namespace copse::types
