#pragma once

#include <cstdint>

namespace gccs::popsolver {

/// A variable of a Model, by its number. A default variable is the first one of every model.
struct Variable {
  std::uint32_t id = 0;

  constexpr Variable() = default;
  constexpr explicit Variable(std::uint32_t number) : id(number) {}

  friend constexpr bool operator==(Variable a, Variable b) { return a.id == b.id; }
  friend constexpr bool operator!=(Variable a, Variable b) { return a.id != b.id; }
  friend constexpr bool operator<(Variable a, Variable b) { return a.id < b.id; }
};

} // namespace gccs::popsolver
