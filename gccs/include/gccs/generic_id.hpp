#pragma once

#include <type_traits>

namespace gccs {

/// An id with a type of its own for each \p Tag, because plain numbers are easily confused.
/// Converts implicitly to its number, so it can be an index.
template <typename Tag, typename T> struct generic_id {
  static_assert(std::is_integral<T>::value, "an ID is an integer");
  /// The type of the number.
  using underlying_type = T;

  /// The number.
  T value = 0;

  /// Makes the number 0.
  constexpr generic_id() = default;
  /// Makes a number.
  constexpr explicit generic_id(T number) : value(number) {}
  /// Returns the number.
  constexpr operator T() const { return value; }
};

} // namespace gccs
