#include "graph/field_values.hpp"

#include "graph/run_list.hpp"
#include "types/element_type.hpp"

#include <cstring>

namespace copse::graph {
namespace {

template <typename T> T load(const std::byte *data) {
  T value;
  std::memcpy(&value, data, sizeof(T));
  return value;
}

} // namespace

std::optional<std::vector<std::byte>> constantBytes(const Model &model, const Run *runs,
                                                    std::size_t count, std::uint32_t elementBytes) {
  std::vector<std::byte> out;
  for (const Run *run = runs; run != runs + count; ++run) {
    const Variable &variable = model.variables[run->variable];
    if (!variable.constant || variable.replicaIndex) {
      return std::nullopt;
    }
    // Each instance of a replicated constant has an initial value; other constants have one.
    const std::uint64_t each = variable.initial.front().count;
    for (std::uint64_t i = 0; i < run->count; ++i) {
      const std::uint64_t element = elementOf(*run, i);
      const std::vector<std::byte> &values = variable.initial[element / each].bytes;
      const bool filled = values.size() == elementBytes;
      const std::byte *from = values.data() + (filled ? 0 : element % each * elementBytes);
      out.insert(out.end(), from, from + elementBytes);
    }
  }
  return out;
}

double decodeFloating(const std::byte *data, std::size_t i, ElementType type, std::uint32_t bytes) {
  if (!isFloating(type)) {
    const std::int64_t value = decodeInteger(data, i, type, bytes);
    return types::isSigned(type) ? static_cast<double>(value)
                                 : static_cast<double>(static_cast<std::uint64_t>(value));
  }
  return bytes == 2 ? static_cast<double>(load<_Float16>(data + i * bytes))
                    : static_cast<double>(load<float>(data + i * bytes));
}

std::int64_t decodeInteger(const std::byte *data, std::size_t i, ElementType type,
                           std::uint32_t bytes) {
  if (isFloating(type)) {
    return static_cast<std::int64_t>(decodeFloating(data, i, type, bytes));
  }
  std::uint64_t value = 0;
  for (std::uint32_t b = 0; b < bytes && b < 8; ++b) {
    value |= std::to_integer<std::uint64_t>(data[i * bytes + b]) << (8 * b);
  }
  const unsigned unused = bytes < 8 ? 64 - 8 * bytes : 0;
  return types::isSigned(type) ? static_cast<std::int64_t>(value << unused) >> unused
                               : static_cast<std::int64_t>(value);
}

} // namespace copse::graph
