#pragma once

#include "number_model.hpp"

/// The 8-bit formats of ipu21 by their definition.
namespace copse::ipud::model {

inline constexpr Format kQuarter152{2, 16}, kQuarter143{3, 8};
inline constexpr std::uint32_t kError8 = 0x80;

/// Returns the value of a code that is not kError8.
inline double valueOf8(std::uint32_t code, Format f) {
  const double magnitude = decoded(code & 0x7F, f);
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

inline Outcome overflowed8(bool isNegative, bool nanOnOverflow) {
  if (nanOnOverflow)
    return {kError8, kOverflow | kInvalid};
  return {isNegative ? 0xFFU : 0x7FU, kOverflow};
}

inline Outcome errorResult8(std::uint32_t half) {
  return {kError8, isError16(half) ? kInvalid : 0};
}

/// Rounds to the nearest code, ties to even. Values that exceed the largest number overflow.
inline Outcome quarterOf(double exact, Format f, bool nanOnOverflow = false) {
  if (std::fabs(exact) > decoded(0x7F, f))
    return overflowed8(exact < 0, nanOnOverflow);
  const std::uint64_t code = encoded(std::fabs(exact), f);
  return {code == 0 ? 0 : code | (exact < 0 ? 0x80 : 0), 0};
}

/// Rounds with the noise of element \p i: of 11 digits, the lowest are increased by it and dropped.
inline Outcome stochasticQuarter(double exact, Format f, const Generator::Draw &draw, unsigned i) {
  if (exact == 0)
    return {};
  if (std::fabs(exact) > decoded(0x7F, f))
    return overflowed8(exact < 0, false);
  const std::uint32_t noise = static_cast<std::uint32_t>(draw.r0 >> (8 * i) & 0xFF) |
                              static_cast<std::uint32_t>(draw.r1 >> (8 * i) & 0x7) << 8;
  const int e = std::ilogb(exact), least = 1 - f.bias;
  const int cut = std::min(10 - f.fractionBits + std::max(least - e, 0), 11);
  const auto digits = static_cast<std::uint32_t>(std::ldexp(std::fabs(exact), 10 - e));
  const std::uint32_t kept = (digits + (noise & ((1U << cut) - 1))) >> cut << cut;
  const double magnitude = std::ldexp(kept, e - 10);
  if (magnitude < decoded(1, f))
    return {};
  if (magnitude > decoded(0x7F, f))
    return overflowed8(exact < 0, false);
  return quarterOf(exact < 0 ? -magnitude : magnitude, f);
}

} // namespace copse::ipud::model
