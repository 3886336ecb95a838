#pragma once

#include <cstdint>
#include <cstring>
#if !defined(__POPC__)
#include "poplar/exceptions.hpp"

#include <iosfwd>
#include <string>
#endif

namespace poplar {

/// Says what the bytes of quarters mean: their format, and a power of two by which numbers are
/// multiplied. Metadata is one byte, on the host and on a tile: bits 0 to 5 are the exponent, bit 7
/// is set for F143.
class QuarterMetadata {
public:
  /// The digits of exponent and fraction. F143 has numbers up to 240, F152 up to 57,344.
  enum class Format : std::uint8_t { F143, F152 };

  /// Makes F152 with a scale of 0; all bits are clear. A metadata variable that was never set has
  /// this value.
  constexpr QuarterMetadata() : bits_(0) {}
  /// Makes metadata of a format and a scale.
  /// \param scale  -32 to 31; the value of a code is multiplied by 2^scale
  /// \throws tensor_metadata_error on the host if there is no such scale
  constexpr QuarterMetadata(Format format, int scale)
      : bits_(static_cast<std::uint8_t>((format == Format::F143 ? 0x80u : 0u) |
                                        (static_cast<unsigned>(checked(scale)) & 0x3Fu))) {}
  /// Makes metadata of its byte.
  static constexpr QuarterMetadata fromBits(std::uint8_t bits) { return QuarterMetadata(bits); }

  ///@{

  /// Returns the byte; both names do the same.
  constexpr std::uint8_t bits() const { return bits_; }
  constexpr std::uint8_t getBinary() const { return bits_; }
  ///@}

  /// Returns the format.
  constexpr Format getFormat() const { return (bits_ & 0x80u) != 0 ? Format::F143 : Format::F152; }
  /// Returns the scale, -32 to 31.
  constexpr int getScale() const { return static_cast<int>((bits_ & 0x3Fu) ^ 0x20u) - 0x20; }

#if !defined(__POPC__)
  /// Returns text such as "F143, scale -2".
  std::string toString() const;
#endif

  ///@{

  /// Compares format and scale.
  friend constexpr bool operator==(QuarterMetadata a, QuarterMetadata b) {
    return a.bits_ == b.bits_;
  }
  friend constexpr bool operator!=(QuarterMetadata a, QuarterMetadata b) { return !(a == b); }
  ///@}

private:
  explicit constexpr QuarterMetadata(std::uint8_t bits) : bits_(bits) {}
#if defined(__POPC__)
  static constexpr int checked(int scale) { return scale; }
#else
  static constexpr int checked(int scale) {
    return scale >= -32 && scale <= 31
               ? scale
               : throw tensor_metadata_error("the scale of quarters is -32 to 31");
  }
#endif

  std::uint8_t bits_;
};

#if !defined(__POPC__)
/// Writes text such as "F143, scale -2".
std::ostream &operator<<(std::ostream &out, const QuarterMetadata &metadata);
#endif

namespace encoding {

/// A quarter has no infinity, no NaN and no -0. One code stands for all results that are not
/// numbers.
constexpr std::uint8_t kQuarterError = 0x80;

struct QuarterFormat {
  int fractionBits, bias;
};
constexpr QuarterFormat quarterFormat(QuarterMetadata::Format format) {
  return format == QuarterMetadata::Format::F143 ? QuarterFormat{3, 8} : QuarterFormat{2, 16};
}

/// Returns 2^n, which must be a normal float.
inline float powerOfTwo(int n) {
  const std::uint32_t bits = static_cast<std::uint32_t>(n + 127) << 23;
  float power;
  std::memcpy(&power, &bits, sizeof power);
  return power;
}

inline float fromQuarter(std::uint8_t code, QuarterMetadata metadata) {
  if (code == kQuarterError) {
    const std::uint32_t notANumber = 0x7FC00000u;
    float value;
    std::memcpy(&value, &notANumber, sizeof value);
    return value;
  }
  const QuarterFormat format = quarterFormat(metadata.getFormat());
  const int exponent = (code & 0x7F) >> format.fractionBits;
  const int fraction = code & ((1 << format.fractionBits) - 1);
  const int digits = exponent == 0 ? fraction : fraction + (1 << format.fractionBits);
  const int unit = (exponent == 0 ? 1 : exponent) - format.bias - format.fractionBits;
  const float magnitude = static_cast<float>(digits) * powerOfTwo(unit + metadata.getScale());
  return (code & 0x80) != 0 ? -magnitude : magnitude;
}

/// Rounds to nearest, ties to even. A value that is too large becomes the largest number, or the
/// error code if \p errorOnOverflow; NaN and infinity become the error code.
inline std::uint8_t toQuarter(float value, QuarterMetadata metadata, bool errorOnOverflow = false) {
  const float infinity = powerOfTwo(128);
  if (value != value || value == infinity || value == -infinity)
    return kQuarterError;
  const QuarterFormat format = quarterFormat(metadata.getFormat());
  const float magnitude = (value < 0 ? -value : value) * powerOfTwo(-metadata.getScale());
  std::uint32_t bits;
  std::memcpy(&bits, &magnitude, sizeof bits);
  const int exponent = static_cast<int>(bits >> 23 & 0xFFu) - 127, least = 1 - format.bias;
  const int binade = exponent < least ? least : exponent;
  if (binade > 31) // beyond both formats; shifts below stay small
    return errorOnOverflow ? kQuarterError : value < 0 ? 0xFF : 0x7F;
  const float exact = magnitude * powerOfTwo(format.fractionBits - binade);
  int digits = static_cast<int>(exact);
  const float rest = exact - static_cast<float>(digits);
  digits += rest > 0.5f || (rest == 0.5f && (digits & 1) != 0) ? 1 : 0;
  // A carry out of the digits runs into the exponent, as it should.
  const int code = digits + ((binade - least) << format.fractionBits);
  if (code > 0x7F && errorOnOverflow)
    return kQuarterError;
  const int saturated = code > 0x7F ? 0x7F : code;
  return static_cast<std::uint8_t>(value < 0 && saturated != 0 ? saturated | 0x80 : saturated);
}

} // namespace encoding
} // namespace poplar
