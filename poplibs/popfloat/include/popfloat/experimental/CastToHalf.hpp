#pragma once

#include <cstdint>

/// Conversions of floating-point numbers.
namespace popfloat {
/// Functions that may change.
namespace experimental {

/// Rounds to the nearest half, ties to even. NaN stays NaN.
/// \param enNanoo  true: a number that is too large, infinity too, becomes NaN; default false: it
///   becomes the largest half, 65504
/// \returns the bits of the half
std::uint16_t singleToHalf(float value, bool enNanoo = false);

/// Returns the number that these bits of a half are.
float halfToSingle(std::uint16_t ihalf);

} // namespace experimental
} // namespace popfloat
