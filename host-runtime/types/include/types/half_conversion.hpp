#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::types {

// Converts between host numbers and IEEE binary16, rounding to nearest even, with overflow to
// infinity. Buffers may be unaligned.

/// Keeps NaN, and makes them quiet.
void floatToHalf(const float *src, void *dst, std::size_t n);
/// Reduces NaN to their sign, because PopLibs' tests compare them with 0x7FC00000.
void halfToFloat(const void *src, float *dst, std::size_t n);
/// Rounds once, not by way of float.
std::uint16_t doubleToHalf(double value);

} // namespace copse::types
