#pragma once

#include <cstdint>

namespace gccs::popsolver {

/// Names a variable of a Model by its number. A default variable is the first one of every model.
struct Variable {
  /// The number.
  std::uint32_t id = 0;

  /// Names the first variable.
  constexpr Variable() = default;
  /// Names a variable by its number.
  constexpr explicit Variable(std::uint32_t number) : id(number) {}

  ///@{

  /// Compares numbers.
  friend constexpr bool operator==(Variable a, Variable b) { return a.id == b.id; }
  friend constexpr bool operator!=(Variable a, Variable b) { return a.id != b.id; }
  friend constexpr bool operator<(Variable a, Variable b) { return a.id < b.id; }
  ///@}
};

} // namespace gccs::popsolver
