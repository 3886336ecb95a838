#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

/// Stores lists of numbers in CBOR files as typed arrays (RFC 8746: tags 70 and 71, little endian),
/// which are as compact as the numbers and need no parsing.
namespace copse::types {

nlohmann::json typedArray(std::span<const std::uint32_t> numbers);
nlohmann::json typedArray(std::span<const std::uint64_t> numbers);

/// \throws nlohmann::json::exception if \p json is not a typed array of numbers of this size
std::vector<std::uint32_t> numbers32(const nlohmann::json &json);
std::vector<std::uint64_t> numbers64(const nlohmann::json &json);

/// Returns rows of numbers as two typed arrays: the length of each row, and all numbers.
nlohmann::json typedRows(const std::vector<std::vector<std::uint32_t>> &rows);
/// \throws nlohmann::json::exception as numbers32(), and if the lengths are inconsistent
std::vector<std::vector<std::uint32_t>> rowsOfNumbers(const nlohmann::json &json);

} // namespace copse::types
