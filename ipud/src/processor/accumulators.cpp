#include "processor/accumulators.hpp"

namespace copse::ipud::fp {
namespace {

float settled(float sum) {
  const std::uint32_t bits = asBits(sum);
  return asFloat(isNaN32(bits) ? kFixedNaN32 : flushed(bits));
}

/// Adds \p term to \p sum.
/// \returns the rounding error of the sum
double addExactly(double &sum, double term) {
  const double total = sum + term, part = total - sum;
  const double lost = (sum - (total - part)) + (term - part);
  sum = total;
  return lost;
}

/// Returns the f32 nearest to \p sum * 2^exponent, ties to even. Dot products have no denormal
/// results.
float rounded(__int128 sum, int exponent) {
  const bool negative = sum < 0;
  auto magnitude = static_cast<unsigned __int128>(negative ? -sum : sum);
  bool sticky = false;
  // A double holds the remaining digits; its last bit records that more digits follow.
  while (magnitude >> 62 != 0) {
    sticky |= (magnitude & 1) != 0;
    magnitude >>= 1;
    ++exponent;
  }
  // 62 digits do not fit into a double, so drop some more in this way.
  auto digits = static_cast<std::uint64_t>(magnitude);
  while (digits >> 50 != 0) {
    sticky |= (digits & 1) != 0;
    digits >>= 1;
    ++exponent;
  }
  const double value = static_cast<double>(digits << 1 | (sticky ? 1 : 0));
  return roundTo32(std::ldexp(negative ? -value : value, exponent - 1));
}

/// Sums products as integers in units of 2^-48.
float dotSlowly(std::span<const std::uint16_t> x, std::span<const std::uint16_t> y) {
  constexpr float kUnits = 0x1p24F;
  __int128 sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += static_cast<__int128>(static_cast<std::int64_t>(valueOf16(x[i]) * kUnits)) *
           static_cast<std::int64_t>(valueOf16(y[i]) * kUnits);
  return rounded(sum, -48);
}

bool isSpecial16(std::uint16_t x) { return (x & kExponent16) == kExponent16; }

} // namespace

float accumulated(float a, float b) {
  return settled(asFloat(flushed(asBits(a))) + asFloat(flushed(asBits(b))));
}

float product(std::uint32_t a, std::uint32_t b, std::uint32_t &flags) {
  a = flushed(a);
  b = flushed(b);
  // Exact in a double, so that the host processor's treatment of denormal results does not matter.
  const float result = roundTo32(static_cast<double>(asFloat(a)) * static_cast<double>(asFloat(b)));
  const bool invalid =
      isSignalling32(a) || isSignalling32(b) || (std::isnan(result) && !isNaN32(a) && !isNaN32(b));
  if (invalid)
    flags |= kInvalid;
  return settled(result);
}

float dot16(std::span<const std::uint16_t> x, std::span<const std::uint16_t> y,
            std::uint32_t &flags) {
  bool special = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    special |= isSpecial16(x[i]) || isSpecial16(y[i]);
    if (isInvalid16(x[i]) || isInvalid16(y[i]))
      flags |= kInvalid;
  }
  if (special)
    return asFloat(kFixedNaN32);
  double sum = 0, lost = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    lost += std::fabs(addExactly(sum, static_cast<double>(valueOf16(x[i])) *
                                          static_cast<double>(valueOf16(y[i]))));
  return lost == 0 ? roundTo32(sum) : dotSlowly(x, y);
}

float dot8(std::span<const std::uint8_t> x, QuarterFormat formatX, std::span<const std::uint8_t> y,
           QuarterFormat formatY, int scale, std::uint32_t &flags) {
  constexpr float kUnits = 0x1p17F;
  __int128 sum = 0;
  bool error = false;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i] == kError8 || y[i] == kError8) {
      error = true;
      continue;
    }
    sum += static_cast<__int128>(static_cast<std::int64_t>(valueOf8(x[i], formatX) * kUnits)) *
           static_cast<std::int64_t>(valueOf8(y[i], formatY) * kUnits);
  }
  if (!error)
    return rounded(sum, -34 + scale);
  flags |= kInvalid;
  return asFloat(kFixedNaN32);
}

std::uint32_t read32(float accumulator, std::uint32_t &flags) {
  const std::uint32_t bits = asBits(accumulator);
  if (isNaN32(bits))
    return kFixedNaN32;
  if (isInfinite32(bits))
    flags |= kOverflow;
  return bits;
}

std::uint16_t read16(float accumulator, unsigned element, const HalfMode &mode,
                     std::uint32_t &flags) {
  const std::uint32_t bits = asBits(accumulator);
  if (isNaN32(bits))
    return kFixedNaN16;
  if (isInfinite32(bits)) {
    flags |= kOverflow | kInvalid;
    return kFixedNaN16;
  }
  return round16(bits, element, mode, flags);
}

float partial32(std::uint32_t x, std::uint32_t &flags) {
  if (isSignalling32(x))
    flags |= kInvalid;
  return asFloat(isNaN32(x) ? kFixedNaN32 : flushed(x));
}

float partial16(std::uint16_t x, std::uint32_t &flags) { return asFloat(operand16(x, flags)); }

} // namespace copse::ipud::fp
