#pragma once

namespace popops {

/// How elements are combined.
enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  SQUARE_ADD, ///< sum of squares
  LOG_ADD     ///< of logarithms: log(exp(a) + exp(b))
};

} // namespace popops
