#pragma once

#include <type_traits>

namespace gccs {

/// Plain numbers as names are easily confused. This number has a type of its own for each \p Tag,
/// and converts to an index.
template <typename Tag, typename T> struct generic_id {
  static_assert(std::is_integral<T>::value, "an ID is an integer");
  using underlying_type = T;

  T value = 0;

  constexpr generic_id() = default;
  constexpr explicit generic_id(T number) : value(number) {}
  constexpr operator T() const { return value; }
};

} // namespace gccs
