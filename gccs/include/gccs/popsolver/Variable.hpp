#pragma once

#include <cstdint>

namespace gccs::popsolver {

/// A variable of a Model, by its number there. One that is made without a model is the first of each.
struct Variable {
  std::uint32_t id = 0;

  constexpr Variable() = default;
  constexpr explicit Variable(std::uint32_t number) : id(number) {}

  friend constexpr bool operator==(Variable a, Variable b) { return a.id == b.id; }
  friend constexpr bool operator!=(Variable a, Variable b) { return a.id != b.id; }
  friend constexpr bool operator<(Variable a, Variable b) { return a.id < b.id; }
};

} // namespace gccs::popsolver
