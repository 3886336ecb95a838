#pragma once

#include <poplar/Type.hpp>

namespace popops {

inline bool isReal(const poplar::Type &type) {
  return type == poplar::FLOAT || type == poplar::HALF;
}

} // namespace popops
