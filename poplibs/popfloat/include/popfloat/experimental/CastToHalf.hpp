#pragma once

#include <cstdint>

namespace popfloat {
namespace experimental {

/// Rounds to the nearest half, ties to even. NaN stays NaN.
/// \param enNanoo  what is too large, infinity too, becomes NaN; otherwise the largest half, 65504
std::uint16_t singleToHalf(float value, bool enNanoo = false);

/// Returns the number that these bits of a half are.
float halfToSingle(std::uint16_t ihalf);

} // namespace experimental
} // namespace popfloat
