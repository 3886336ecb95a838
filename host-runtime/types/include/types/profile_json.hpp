#pragma once

#include "poplar/ProfileValue.hpp"

#include <nlohmann/json.hpp>

namespace copse::types {

nlohmann::json toJson(const poplar::ProfileValue &value);
/// Converts JSON; binary and discarded values become empty ones.
poplar::ProfileValue fromJson(const nlohmann::json &json);

} // namespace copse::types
