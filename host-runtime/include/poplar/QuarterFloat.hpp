#pragma once

#include "poplar/HalfFloat.hpp"
#include "poplar/MetadataType.hpp"
#include "poplar/Quarter.hpp"

#include <cstdint>

/// A number of 8 bits in a codelet. Its code means nothing without metadata, which the vertex gets
/// by a field of its own: `Input<Vector<quarter>> in; Input<quarter_metadata> inMetadata;`.
class quarter {
public:
  quarter() = default;
  /// Rounds to nearest even; a value that is too large becomes the largest number.
  quarter(float value, poplar::QuarterMetadata metadata)
      : code_(poplar::encoding::toQuarter(value, metadata)) {}
  static quarter fromBits(std::uint8_t code) {
    quarter q;
    q.code_ = code;
    return q;
  }
  std::uint8_t bits() const { return code_; }
  float toFloat(poplar::QuarterMetadata metadata) const {
    return poplar::encoding::fromQuarter(code_, metadata);
  }

private:
  std::uint8_t code_;
};

using quarter_metadata = poplar::QuarterMetadata;

namespace poplar {

/// Metadata as memory of a tile holds them.
inline quarter_metadata unpackMetadata(const MetadataType *packed) {
  return quarter_metadata::fromBits(*packed);
}

inline float toFloat(quarter x, quarter_metadata metadata) { return x.toFloat(metadata); }
inline half toHalf(quarter x, quarter_metadata metadata) {
  return static_cast<half>(x.toFloat(metadata));
}
/// \param errorOnOverflow  a value that is too large becomes the error, and not the largest number
inline quarter toQuarter(float x, quarter_metadata metadata, bool errorOnOverflow = false) {
  return quarter::fromBits(encoding::toQuarter(x, metadata, errorOnOverflow));
}
inline quarter toQuarter(half x, quarter_metadata metadata, bool errorOnOverflow = false) {
  return toQuarter(static_cast<float>(x), metadata, errorOnOverflow);
}

} // namespace poplar
