#pragma once

#include "assembler/object.hpp"

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

namespace copse::popc {

/// Takes \p count bytes from the front of \p blobs.
/// \throws std::out_of_range
std::vector<std::byte> takeBytes(std::string_view &blobs, std::uint64_t count);

/// Tile code as a table of a .gp file; the bytes of its sections stand elsewhere.
nlohmann::json objectTable(const assembler::Object &object);

/// Takes the bytes of the sections from the front of \p blobs. What comes out can be linked: all
/// numbers count what is there.
/// \throws std::exception for a table that makes no sense
assembler::Object objectFrom(const nlohmann::json &table, std::string_view &blobs);

} // namespace copse::popc
