#include "types/typed_array.hpp"

#include <algorithm>
#include <string>

namespace copse::types {

using nlohmann::json;

namespace {

constexpr std::uint64_t kTag32 = 70, kTag64 = 71;

template <class Number> json encoded(std::span<const Number> numbers, std::uint64_t tag) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(numbers.size_bytes());
  for (const Number number : numbers)
    for (std::size_t i = 0; i < sizeof(Number); ++i)
      bytes.push_back(static_cast<std::uint8_t>(number >> (8 * i)));
  return json::binary(std::move(bytes), tag);
}

[[noreturn]] void refuse(const std::string &why) {
  throw json::other_error::create(599, why, nullptr);
}

template <class Number> std::vector<Number> decoded(const json &from, std::uint64_t tag) {
  const auto &bytes = from.get_ref<const json::binary_t &>();
  if (!bytes.has_subtype() || bytes.subtype() != tag || bytes.size() % sizeof(Number) != 0)
    refuse("not a typed array of " + std::to_string(8 * sizeof(Number)) + " bits");
  std::vector<Number> numbers(bytes.size() / sizeof(Number), 0);
  for (std::size_t i = 0; i < bytes.size(); ++i)
    numbers[i / sizeof(Number)] |=
        static_cast<Number>(static_cast<Number>(bytes[i]) << (8 * (i % sizeof(Number))));
  return numbers;
}

} // namespace

json typedArray(std::span<const std::uint32_t> numbers) { return encoded(numbers, kTag32); }
json typedArray(std::span<const std::uint64_t> numbers) { return encoded(numbers, kTag64); }

std::vector<std::uint32_t> numbers32(const json &from) {
  return decoded<std::uint32_t>(from, kTag32);
}
std::vector<std::uint64_t> numbers64(const json &from) {
  return decoded<std::uint64_t>(from, kTag64);
}

json typedRows(const std::vector<std::vector<std::uint32_t>> &rows) {
  std::vector<std::uint32_t> lengths, all;
  for (const auto &row : rows) {
    lengths.push_back(static_cast<std::uint32_t>(row.size()));
    all.insert(all.end(), row.begin(), row.end());
  }
  return json::array({typedArray(lengths), typedArray(all)});
}

std::vector<std::vector<std::uint32_t>> rowsOfNumbers(const json &from) {
  const std::vector<std::uint32_t> lengths = numbers32(from.at(0)), all = numbers32(from.at(1));
  std::vector<std::vector<std::uint32_t>> rows;
  std::size_t at = 0;
  for (const std::uint32_t length : lengths) {
    if (length > all.size() - at)
      refuse("rows are longer than their numbers");
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(at);
    rows.emplace_back(first, first + length);
    at += length;
  }
  if (at != all.size())
    refuse("rows are shorter than their numbers");
  return rows;
}

} // namespace copse::types
