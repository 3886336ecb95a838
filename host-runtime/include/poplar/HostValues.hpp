#pragma once

#include "poplar/TypeTraits.hpp"

#include <cstddef>
#include <type_traits>

namespace poplar {

/// Refers to values in host memory that a graph function converts; it reads them during the call
/// only.
struct HostValues {
  /// The values.
  const void *data;
  /// The number of values.
  std::size_t count;
  /// The type of the values.
  TypeTraits traits;

  /// Refers to \p n values; enumerators count as their numbers.
  template <typename T> static HostValues of(const T *values, std::size_t n) {
    return HostValues{values, n, TypeTraits::make<typename Stored<T>::type>()};
  }

  /// Tells whether a graph function takes a T as one value: a number, or an enumerator for its
  /// number.
  template <typename T>
  struct IsValue
      : std::integral_constant<bool, std::is_arithmetic<T>::value || std::is_enum<T>::value> {};

private:
  template <typename T, bool = std::is_enum<T>::value> struct Stored {
    using type = T;
  };
  template <typename T> struct Stored<T, true> {
    using type = typename std::underlying_type<T>::type;
  };
};

} // namespace poplar
