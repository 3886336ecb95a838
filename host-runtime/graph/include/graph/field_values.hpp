#pragma once

#include "graph/model.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse::graph {

/// Returns the elements of \p runs in device format if all of them are constants, else nothing. The
/// replica index is not a constant.
std::optional<std::vector<std::byte>> constantBytes(const Model &model, const Run *runs,
                                                    std::size_t count, std::uint32_t elementBytes);

/// Decodes element \p i in device format. \p bytes is the size of an element; a half of 4 bytes is
/// a float.
double decodeFloating(const std::byte *data, std::size_t i, ElementType type, std::uint32_t bytes);
/// Decodes an integer. An unsigned 64-bit value is returned as the int64_t with its bits.
std::int64_t decodeInteger(const std::byte *data, std::size_t i, ElementType type,
                           std::uint32_t bytes);

} // namespace copse::graph
