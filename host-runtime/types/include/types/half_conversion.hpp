#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::types {

// Between host numbers and IEEE binary16: to nearest even, too large ones to infinity. Buffers need no alignment.

/// NaN are kept, and quiet.
void floatToHalf(const float *src, void *dst, std::size_t n);
/// NaN lose all but their sign: PopLibs' tests compare them with 0x7FC00000.
void halfToFloat(const void *src, float *dst, std::size_t n);
/// In one rounding, not by way of float.
std::uint16_t doubleToHalf(double value);

} // namespace copse::types
