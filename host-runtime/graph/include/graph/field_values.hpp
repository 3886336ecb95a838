#pragma once

#include "graph/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse::graph {

/// Device bytes of the elements of \p runs if all of them are constants, else none. The replica
/// index counts as unknown.
std::optional<std::vector<std::byte>> constantBytes(const Model &model, const Run *runs,
                                                    std::size_t count, std::uint32_t elementBytes);

/// Element \p i of device bytes. \p bytes is the size of an element; a half of 4 bytes is a float.
double decodeFloating(const std::byte *data, std::size_t i, ElementType type, std::uint32_t bytes);
/// Unsigned 64-bit values come as the int64_t of the same bits.
std::int64_t decodeInteger(const std::byte *data, std::size_t i, ElementType type,
                           std::uint32_t bytes);

} // namespace copse::graph
