#pragma once

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
