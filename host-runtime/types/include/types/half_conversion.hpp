#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::types {

// Converts between host numbers and IEEE binary16, rounding to nearest even, with overflow to
// infinity. Buffers may be unaligned.

/// Converts floats to halves; a NaN becomes a quiet NaN.
void floatToHalf(const float *src, void *dst, std::size_t n);
/// Converts halves to floats. Only the sign of a NaN is kept, because PopLibs' tests compare a NaN
/// with 0x7FC00000.
void halfToFloat(const void *src, float *dst, std::size_t n);
/// Converts a double to a half with a single rounding, not by way of float.
std::uint16_t doubleToHalf(double value);

} // namespace copse::types
