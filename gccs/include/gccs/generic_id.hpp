#pragma once

#include <type_traits>

namespace gccs {

/// A number that names something. Those of another \p Tag are another type, so that one is not taken for the other; as an
/// index it is the number.
template <typename Tag, typename T> struct generic_id {
  static_assert(std::is_integral<T>::value, "an ID is an integer");
  using underlying_type = T;

  T value = 0;

  constexpr generic_id() = default;
  constexpr explicit generic_id(T number) : value(number) {}
  constexpr operator T() const { return value; }
};

} // namespace gccs
