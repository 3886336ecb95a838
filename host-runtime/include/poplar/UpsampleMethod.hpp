#pragma once

namespace poplar {

enum class UpsampleMethod {
  REPEAT ///< every element stands `scale` times in a row
};

} // namespace poplar
