#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::types {

// Between host numbers and IEEE binary16: to nearest even, too large ones to infinity, NaN kept
// (quiet). Buffers need no alignment.

void floatToHalf(const float *src, void *dst, std::size_t n);
void halfToFloat(const void *src, float *dst, std::size_t n);
/// In one rounding, not by way of float.
std::uint16_t doubleToHalf(double value);

} // namespace copse::types
