#pragma once

#include "compiler/memory_layout.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

namespace copse::compiler {

/// For files in CBOR: numbers are typed arrays. Equal layouts give equal bytes.
nlohmann::json layoutToJson(const MemoryLayout &layout);
/// \throws nlohmann::json::exception if it is none, or an index in it leads nowhere
MemoryLayout layoutFromJson(const nlohmann::json &json);

} // namespace copse::compiler
