#pragma once

#include "poplar/TypeTraits.hpp"

#include <cstddef>
#include <type_traits>

namespace poplar {

/// Values in host memory that a graph function converts; it reads them during the call only.
struct HostValues {
  const void *data;
  std::size_t count;
  TypeTraits traits;

  template <typename T> static HostValues of(const T *values, std::size_t n) {
    return HostValues{values, n, TypeTraits::make<typename Stored<T>::type>()};
  }

  /// What a graph function takes as one value: a number, or an enumerator for its number.
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
