#pragma once

#include <cstdint>
#include <cstring>

namespace poplar {

/// Holds an IEEE binary16 number on the host: stored as 16 bits, computed with as float. No library
/// is needed to link with it. See User guide, 2.3.2.
class IeeeHalf {
public:
  /// Makes zero.
  IeeeHalf() : bits_(0) {}
  /// Rounds a float to nearest even; a number that is too large becomes an infinity.
  explicit IeeeHalf(float value) : bits_(encode(value)) {}
  /// Converts to float, without loss.
  operator float() const { return decode(bits_); }

  /// Makes the number of a bit pattern.
  static IeeeHalf fromBits(std::uint16_t bits) {
    IeeeHalf half;
    half.bits_ = bits;
    return half;
  }

  ///@{

  /// Returns the bit pattern; both names do the same.
  std::uint16_t bit() const { return bits_; }
  std::uint16_t bit16() const { return bits_; }
  ///@}

  ///@{

  /// Computes as float and rounds the result.
  IeeeHalf &operator+=(float x) { return *this = IeeeHalf(float(*this) + x); }
  IeeeHalf &operator-=(float x) { return *this = IeeeHalf(float(*this) - x); }
  IeeeHalf &operator*=(float x) { return *this = IeeeHalf(float(*this) * x); }
  IeeeHalf &operator/=(float x) { return *this = IeeeHalf(float(*this) / x); }
  ///@}

private:
  // Rounds to nearest, ties to even; what is too large becomes an infinity; a NaN stays one, quiet.
  static std::uint16_t encode(float value) {
    std::uint32_t word;
    std::memcpy(&word, &value, sizeof word);
    const std::uint32_t sign = (word >> 16) & 0x8000u;
    const std::uint32_t magnitude = word & 0x7FFFFFFFu;
    if (magnitude > 0x7F800000u)
      return static_cast<std::uint16_t>(sign | 0x7E00u | ((magnitude >> 13) & 0x3FFu));
    if (magnitude >= 0x477FF000u) // halfway between the largest half and the next power of two
      return static_cast<std::uint16_t>(sign | 0x7C00u);
    if (magnitude < 0x33000001u) // at most half of the smallest denormal
      return static_cast<std::uint16_t>(sign);
    std::uint32_t significand = magnitude;
    unsigned dropped = 13;
    if (magnitude >= 0x38800000u) {
      significand -= 0x38000000u; // exponent bias 127 to 15
    } else {
      significand = (magnitude & 0x7FFFFFu) | 0x800000u;
      dropped = 126u - (magnitude >> 23);
    }
    const std::uint32_t half = significand >> dropped;
    const std::uint32_t rest = significand & ((1u << dropped) - 1u);
    const std::uint32_t middle = 1u << (dropped - 1u);
    const std::uint32_t up = rest > middle || (rest == middle && (half & 1u)) ? 1u : 0u;
    return static_cast<std::uint16_t>(sign | (half + up));
  }

  // A NaN becomes a quiet one, of which the sign is left.
  static float decode(std::uint16_t bits) {
    const std::uint32_t sign = (bits & 0x8000u) << 16;
    const std::uint32_t exponent = (bits >> 10) & 0x1Fu;
    const std::uint32_t fraction = bits & 0x3FFu;
    if (exponent == 0) { // zero or denormal: fraction * 2^-24, exact in float
      const float size = static_cast<float>(fraction) * (1.0f / 16777216.0f);
      return sign ? -size : size;
    }
    std::uint32_t word = sign | ((exponent + 112u) << 23) | (fraction << 13);
    if (exponent == 31u)
      word = sign | (fraction ? 0x7FC00000u : 0x7F800000u);
    float value;
    std::memcpy(&value, &word, sizeof value);
    return value;
  }

  std::uint16_t bits_;
};

} // namespace poplar
