#pragma once

#include "compiler/memory_layout.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace copse::compiler {

/// Converts a layout for files in CBOR, with numbers as typed arrays. Equal layouts give equal
/// bytes.
nlohmann::json layoutToJson(const MemoryLayout &layout);
/// \throws nlohmann::json::exception if it is not a layout, or an index in it is invalid
MemoryLayout layoutFromJson(const nlohmann::json &json);

} // namespace copse::compiler
