#pragma once

#include <cstdint>

/// Conversions of floating-point numbers.
namespace popfloat {
/// Functions that may change.
namespace experimental {

/// Rounds to the nearest half, ties to even. NaN stays NaN.
/// \param enNanoo  default false: a number that is too large, or infinite, becomes the largest
///   half, 65504; true: NaN
/// \returns the bits of the half
std::uint16_t singleToHalf(float value, bool enNanoo = false);

/// Returns the number that the bits of a half represent.
float halfToSingle(std::uint16_t ihalf);

} // namespace experimental
} // namespace popfloat
