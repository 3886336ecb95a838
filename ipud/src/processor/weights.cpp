#include "processor/weights.hpp"

#include <algorithm>
#include <bit>

namespace copse::ipud {
namespace {

/// The range of exponents of numbers that are not zero.
struct Exponents {
  int least = 1 << 10, greatest = -(1 << 10);
  void add(int exponent) {
    least = std::min(least, exponent);
    greatest = std::max(greatest, exponent);
  }
  /// Returns the spread of other factors that sums of \p digits digits allow, where equal exponents
  /// take \p needed digits.
  int spreadLeft(int digits, int needed) const {
    return greatest < least ? digits - needed : digits - needed - (greatest - least);
  }
};

constexpr int kDoubleDigits = 53;
// A product of two halves has 22 digits, and the sum of four products two more; FP8 codes have up
// to four digits.
constexpr int kHalfDigits = 22 + 2, kQuarterDigits = 8 + 3;

/// Returns twice the pattern of the largest half for which all smaller ones differ by at most \p
/// spread.
std::uint16_t largestHalf(int spread) {
  constexpr int kLargestExponent = 30;
  const int exponent = std::clamp(spread + 1, 0, kLargestExponent);
  return static_cast<std::uint16_t>(2 * (((exponent + 1) << 10) - 1));
}

} // namespace

void Weights::set(unsigned index, std::uint64_t bits) {
  const unsigned unit = index / kGroups, group = index % kGroups;
  words_[2 * group][unit] = static_cast<std::uint32_t>(bits);
  words_[2 * group + 1][unit] = static_cast<std::uint32_t>(bits >> 32);
  numbers_[group].format = WeightFormat::None;
  ranges_[2 * group] = ranges_[2 * group + 1] = {};
}

void Weights::convert(unsigned group, WeightFormat format) {
  Numbers &numbers = numbers_[group];
  Exponents exponents;
  bool areNumbers = true;
  const fp::Quarters &quarters = fp::quartersOf(
      format == WeightFormat::Quarter152 ? fp::QuarterFormat::F152 : fp::QuarterFormat::F143);
  for (unsigned unit = 0; unit < kUnits; ++unit) {
    std::uint64_t word = bits(unit, group);
    if (format == WeightFormat::Half) {
      for (unsigned i = 0; i < 4; ++i, word >>= 16) {
        const auto half = static_cast<std::uint16_t>(word);
        const int exponent = half >> 10 & 31;
        values_[group][i][unit] = fp::valueOf16(half);
        areNumbers &= exponent != 31;
        // Denormals have the digits of the least normal number.
        if ((half & 0x7FFF) != 0)
          exponents.add(std::max(exponent, 1));
      }
      continue;
    }
    for (unsigned i = 0; i < kInputs; ++i, word >>= 8) {
      const auto code = static_cast<std::uint8_t>(word);
      const std::uint32_t exponent = quarters.exponents[code];
      values_[group][i][unit] = quarters.values[code];
      areNumbers &= code != fp::kError8;
      if (exponent != 0)
        exponents.add(std::countr_zero(exponent));
    }
  }
  numbers.spread =
      areNumbers ? exponents.spreadLeft(kDoubleDigits,
                                        format == WeightFormat::Half ? kHalfDigits : kQuarterDigits)
                 : Numbers::kNone;
  numbers.format = format;
  if (format == WeightFormat::Half)
    largestHalves_[group].fill(largestHalf(numbers.spread));
}

void Weights::measure(unsigned phase) {
  constexpr std::uint32_t kLargest = 254, kNone = 255; // exponent fields
  std::uint32_t least = kNone, greatest = 0;
  for (const std::uint32_t word : words_[phase]) {
    const std::uint32_t exponent = word >> 23 & 0xFF;
    greatest = std::max(greatest, exponent);
    if (exponent != 0) // a denormal is treated as zero
      least = std::min(least, exponent);
  }
  Range &range = ranges_[phase];
  range.isCurrent = true;
  range.isFinite = greatest <= kLargest;
  if (!range.isFinite)
    return;
  // The exponent fields of a product of at least 2^-126 add up to at least 128.
  const std::uint32_t from = least >= 127 ? 1 : 128 - least;
  range.least = from << 24;
  range.span = ((kLargest << 24) | 0xFFFFFF) - range.least;
}

bool Weights::multipliesPlainly(unsigned phase, std::uint32_t x) {
  const Range &range = ranges_[phase];
  if (!range.isCurrent)
    measure(phase);
  return multipliesToNormals(phase, x) || (range.isFinite && (x & fp::kExponent32) == 0);
}

} // namespace copse::ipud
