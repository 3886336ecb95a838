#include "processor/f8.hpp"

#include <algorithm>

namespace copse::ipud::fp {
namespace {

constexpr std::uint8_t kLargest8 = 0x7F;

struct Layout {
  int fractionBits, bias;
  /// Returns the exponent of the smallest normal numbers.
  constexpr int smallestExponent() const { return 1 - bias; }
};

constexpr Layout layoutOf(QuarterFormat format) {
  return format == QuarterFormat::F152 ? Layout{2, 16} : Layout{3, 8};
}

constexpr Quarters tableOf(QuarterFormat format) {
  Quarters table{};
  const Layout layout = layoutOf(format);
  for (unsigned code = 0; code < 256; ++code) {
    const unsigned field = (code & 0x7F) >> layout.fractionBits;
    const unsigned fraction = code & ((1U << layout.fractionBits) - 1);
    const unsigned digits = field == 0 ? fraction : fraction | 1U << layout.fractionBits;
    if (digits == 0) {
      table.exponents[code] = code == kError8 ? Quarters::kNoNumber : 0;
      continue;
    }
    const unsigned step = field == 0 ? 0 : field - 1; // above the least normal number
    table.exponents[code] = 1U << step;
    const int shift = static_cast<int>(step) + layout.smallestExponent() - layout.fractionBits;
    const float magnitude = static_cast<float>(powerOfTwo(shift)) * static_cast<float>(digits);
    table.values[code] = (code & 0x80) != 0 ? -magnitude : magnitude;
  }
  return table;
}

std::uint8_t overflowed8(bool negative, const HalfMode &mode, std::uint32_t &flags) {
  flags |= kOverflow;
  if (mode.nanOnOverflow) {
    flags |= kInvalid;
    return kError8;
  }
  return negative ? kLargest8 | 0x80 : kLargest8;
}

/// Returns 11 random bits for element \p i.
std::uint32_t noise8(const RandomBits &bits, unsigned i) {
  return static_cast<std::uint32_t>(bits.r0 >> (8 * i) & 0xFF) |
         static_cast<std::uint32_t>(bits.r1 >> (8 * i) & 0x7) << 8;
}

/// Truncates digits * 2^(exponent - 10), where digits has 11 digits with the first one set, to
/// units of the format's last digit.
std::uint32_t cutStochastically(std::uint32_t digits, unsigned cut, std::uint32_t noise) {
  return (digits + (noise & ((1U << cut) - 1))) >> cut;
}

std::uint32_t cutToNearest(std::uint32_t digits, unsigned cut) {
  if (cut > 12)
    return 0;
  const std::uint32_t half = 1U << (cut - 1), kept = digits >> cut;
  const std::uint32_t rest = digits & ((1U << cut) - 1);
  return kept + (rest > half || (rest == half && (kept & 1) != 0) ? 1 : 0);
}

} // namespace

const Quarters &quartersOf(QuarterFormat format) {
  static constexpr std::array<Quarters, 2> kTables{tableOf(QuarterFormat::F152),
                                                   tableOf(QuarterFormat::F143)};
  return kTables[static_cast<std::size_t>(format)];
}

std::uint8_t round8(std::uint16_t x, int scale, QuarterFormat format, unsigned element,
                    const HalfMode &mode, std::uint32_t &flags) {
  if ((x & kExponent16) == kExponent16) {
    if (isInvalid16(x))
      flags |= kInvalid;
    return kError8;
  }
  if ((x & 0x7FFF) == 0)
    return 0;
  const bool negative = (x & kSign16) != 0;
  const Layout layout = layoutOf(format);
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(valueOf16(x)), &exponent); // in [0.5, 1)
  exponent += scale - 1;
  // A magnitude above the largest overflows even if rounding would return to the largest.
  if (std::ldexp(fraction, exponent + 1) > valueOf8(kLargest8, format))
    return overflowed8(negative, mode, flags);
  const auto digits = static_cast<std::uint32_t>(fraction * 2048.0F); // 11 of them
  // Position of the leading digit.
  const int place = std::max(exponent, layout.smallestExponent());
  const int wanted = 10 - layout.fractionBits + (place - exponent);
  const std::uint32_t kept =
      mode.noise != nullptr ? cutStochastically(digits, static_cast<unsigned>(std::min(wanted, 11)),
                                                noise8(*mode.noise, element)) >>
                                  std::min(std::max(wanted - 11, 0), 31)
                            : cutToNearest(digits, static_cast<unsigned>(wanted));
  if (kept == 0)
    return 0;
  // Codes are consecutive across exponents.
  const int field = place + layout.bias - 1;
  const std::uint32_t code = (static_cast<std::uint32_t>(field) << layout.fractionBits) + kept;
  if (code > 0x7F)
    return overflowed8(negative, mode, flags);
  return static_cast<std::uint8_t>(code | (negative ? 0x80 : 0));
}

std::uint16_t widen8(std::uint8_t code, int scale, QuarterFormat format, const HalfMode &mode,
                     std::uint32_t &flags) {
  if (code == kError8) {
    flags |= kInvalid;
    return kFixedNaN16;
  }
  return round16(std::ldexp(static_cast<double>(valueOf8(code, format)), scale), mode, flags);
}

Class class8(std::uint8_t code, QuarterFormat format) {
  if (code == kError8)
    return Class::SignallingNaN;
  if (code == 0)
    return Class::PositiveZero;
  const bool negative = (code & 0x80) != 0;
  const bool denormal = (code & 0x7F) >> layoutOf(format).fractionBits == 0;
  if (denormal)
    return negative ? Class::NegativeDenormal : Class::PositiveDenormal;
  return negative ? Class::NegativeNormal : Class::PositiveNormal;
}

} // namespace copse::ipud::fp
