#pragma once

#include "poplar/ProfileValue.hpp"

#include <nlohmann/json.hpp>

namespace copse::types {

nlohmann::json toJson(const poplar::ProfileValue &value);
/// Binary values and discarded ones become nothing.
poplar::ProfileValue fromJson(const nlohmann::json &json);

} // namespace copse::types
