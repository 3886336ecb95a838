#pragma once

#include "poplar/HalfFloat.hpp"
#include "poplar/MetadataType.hpp"
#include "poplar/Quarter.hpp"

#include <cstdint>

/// Holds a number of 8 bits in a codelet. Its code means nothing without metadata, which the vertex
/// gets by a field of its own: `Input<Vector<quarter>> in; Input<quarter_metadata> inMetadata;`.
class quarter {
public:
  /// Makes a quarter with an undefined code.
  quarter() = default;
  /// Rounds to nearest even; a value that is too large becomes the largest number.
  quarter(float value, poplar::QuarterMetadata metadata)
      : code_(poplar::encoding::toQuarter(value, metadata)) {}
  /// Makes the quarter of a code.
  static quarter fromBits(std::uint8_t code) {
    quarter q;
    q.code_ = code;
    return q;
  }
  /// Returns the code.
  std::uint8_t bits() const { return code_; }
  /// Returns the number that the code stands for.
  float toFloat(poplar::QuarterMetadata metadata) const {
    return poplar::encoding::fromQuarter(code_, metadata);
  }

private:
  std::uint8_t code_;
};

/// The metadata of quarters in a codelet.
using quarter_metadata = poplar::QuarterMetadata;

namespace poplar {

/// Returns the metadata that a byte of tile memory holds.
inline quarter_metadata unpackMetadata(const MetadataType *packed) {
  return quarter_metadata::fromBits(*packed);
}

///@{

/// Converts a quarter to a float or a half.
inline float toFloat(quarter x, quarter_metadata metadata) { return x.toFloat(metadata); }
inline half toHalf(quarter x, quarter_metadata metadata) {
  return static_cast<half>(x.toFloat(metadata));
}
///@}

///@{

/// Rounds a float or a half to a quarter.
/// - \p errorOnOverflow: default false: a value that is too large becomes the largest number; true:
///   the code that stands for no number
inline quarter toQuarter(float x, quarter_metadata metadata, bool errorOnOverflow = false) {
  return quarter::fromBits(encoding::toQuarter(x, metadata, errorOnOverflow));
}
inline quarter toQuarter(half x, quarter_metadata metadata, bool errorOnOverflow = false) {
  return toQuarter(static_cast<float>(x), metadata, errorOnOverflow);
}
///@}

} // namespace poplar
