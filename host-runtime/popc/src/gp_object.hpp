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

/// Returns tile code as a table of a .gp file. The bytes of its sections are stored elsewhere.
nlohmann::json objectTable(const assembler::Object &object);

/// Reads tile code from a table, and takes the bytes of its sections from the front of \p blobs.
/// The result can be linked: all its indices are valid.
/// \throws std::exception  for an inconsistent table
assembler::Object objectFrom(const nlohmann::json &table, std::string_view &blobs);

} // namespace copse::popc
