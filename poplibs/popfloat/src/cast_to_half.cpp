#include "popfloat/experimental/CastToHalf.hpp"

#include <cmath>
#include <cstring>

namespace popfloat {
namespace experimental {
namespace {

constexpr std::uint16_t kLargest = 0x7BFF, kNaN = 0x7E00;
constexpr double kTooLarge = 65520; ///< the first number that is nearer to 65536 than to 65504

/// Returns the bits of a positive half. \param magnitude  below kTooLarge
std::uint16_t bitsOf(double magnitude) {
  constexpr int kPlaces = 10, kBias = 15, kLeastExponent = -14;
  if (magnitude == 0)
    return 0;
  int exponent = std::ilogb(magnitude);
  if (exponent < kLeastExponent)
    exponent = kLeastExponent; // a denormal
  // The host rounds to nearest even. A mantissa that rounds up to 2 adds 1 to the exponent.
  const auto mantissa =
      static_cast<std::uint32_t>(std::nearbyint(std::ldexp(magnitude, kPlaces - exponent)));
  const std::uint32_t ofExponent = static_cast<std::uint32_t>(exponent + kBias - 1) << kPlaces;
  return static_cast<std::uint16_t>(ofExponent + mantissa);
}

} // namespace

std::uint16_t singleToHalf(float value, bool enNanoo) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(static_cast<double>(value));
  std::uint16_t bits = kNaN;
  if (magnitude < kTooLarge)
    bits = bitsOf(magnitude);
  else if (!std::isnan(magnitude) && !enNanoo)
    bits = kLargest;
  return static_cast<std::uint16_t>(sign | bits);
}

float halfToSingle(std::uint16_t ihalf) {
  const bool isNegative = (ihalf & 0x8000u) != 0;
  const std::uint32_t exponent = ihalf >> 10u & 0x1Fu, mantissa = ihalf & 0x3FFu;
  if (exponent == 0x1F) {
    const std::uint32_t bits =
        (isNegative ? 0x80000000u : 0) | (mantissa == 0 ? 0x7F800000u : 0x7FC00000u);
    float special;
    std::memcpy(&special, &bits, sizeof special);
    return special;
  }
  const int scale = exponent == 0 ? -24 : static_cast<int>(exponent) - 25;
  const std::uint32_t digits = exponent == 0 ? mantissa : mantissa | 0x400u;
  const float magnitude = std::ldexp(static_cast<float>(digits), scale);
  return isNegative ? -magnitude : magnitude;
}

} // namespace experimental
} // namespace popfloat
