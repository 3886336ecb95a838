#pragma once

namespace poplar {

/// The values between those that an upsampled tensor takes from its source.
enum class UpsampleMethod {
  /// Every element is repeated `scale` times in a row.
  REPEAT
};

} // namespace poplar
