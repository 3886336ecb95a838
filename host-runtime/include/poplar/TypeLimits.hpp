#pragma once

#include "poplar/exceptions.hpp"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace poplar {

/// Holds the limits of a device type, as std::numeric_limits has them:
/// Target::getTypeLimits...As<T>().
struct TypeLimits {
  /// True for a floating-point type.
  bool floating = false;

  ///@{

  /// The limits of a floating-point type.
  double max = 0, min = 0, lowest = 0;
  ///@}

  /// The largest integer of an integer type.
  std::uint64_t maxInteger = 0;
  /// The smallest integer of an integer type.
  std::int64_t lowestInteger = 0;

  ///@{

  /// Returns a limit as a T.
  /// \throws overflow_error if T is an integer type that the limit does not fit
  template <typename T> T maxAs() const {
    return floating ? fromFloating<T>(max) : fromInteger<T>(maxInteger);
  }
  template <typename T> T minAs() const {
    return floating ? fromFloating<T>(min) : fromInteger<T>(lowestInteger);
  }
  template <typename T> T lowestAs() const {
    return floating ? fromFloating<T>(lowest) : fromInteger<T>(lowestInteger);
  }
  ///@}

private:
  template <typename T> static T checked(bool fits, T value) {
    if (!fits)
      throw overflow_error(
          "a limit of a device type does not fit the host type that was asked for");
    return value;
  }
  template <typename T> static T fromInteger(std::uint64_t value) {
    using Limits = std::numeric_limits<T>;
    return checked(!Limits::is_integer || value <= static_cast<std::uint64_t>(Limits::max()),
                   static_cast<T>(value));
  }
  template <typename T> static T fromInteger(std::int64_t value) {
    using Limits = std::numeric_limits<T>;
    const bool fits = static_cast<double>(value) >= static_cast<double>(Limits::lowest());
    return checked(!Limits::is_integer || fits, static_cast<T>(value));
  }
  template <typename T> static T fromFloating(double value) {
    using Limits = std::numeric_limits<T>;
    const double largest = static_cast<double>(Limits::max());
    const bool fits = value < largest && value >= (Limits::is_signed ? -largest : 0.0);
    return Limits::is_integer && !fits ? checked(false, T()) : static_cast<T>(value);
  }
};

} // namespace poplar
