#pragma once

namespace popops {

/// The ways in which reductions combine elements.
enum class Operation {
  ADD,
  MUL,
  MIN,
  MAX,
  LOGICAL_AND,
  LOGICAL_OR,
  /// A sum of squares.
  SQUARE_ADD,
  /// A sum of numbers in the logarithmic domain: log(exp(a) + exp(b)).
  LOG_ADD
};

} // namespace popops
