#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <ostream>
#include <type_traits>

namespace gccs::popsolver {

/// Holds the value of a variable: a count from 0 to max(). As a class of its own, it is never made
/// from a number implicitly. Its arithmetic is unsigned, without checks for overflow.
class DataType {
public:
  /// The type of the number.
  using UnderlyingType = std::uint64_t;

  /// Makes 0.
  constexpr DataType() = default;
  /// Makes a value of a number.
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  constexpr explicit DataType(T value) : value_(static_cast<UnderlyingType>(value)) {}

  /// Returns 0.
  static constexpr DataType min() { return DataType(UnderlyingType(0)); }
  /// Returns the largest value.
  static constexpr DataType max() { return DataType(std::numeric_limits<UnderlyingType>::max()); }

  /// Returns the number.
  constexpr UnderlyingType operator*() const { return value_; }
  /// Returns the number as a \p T. The caller must know that \p T can hold it.
  template <typename T> constexpr T getAs() const { return static_cast<T>(value_); }

  ///@{

  /// Compares numbers.
  friend constexpr bool operator==(DataType a, DataType b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(DataType a, DataType b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(DataType a, DataType b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(DataType a, DataType b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(DataType a, DataType b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(DataType a, DataType b) { return a.value_ >= b.value_; }
  ///@}

  ///@{

  /// Computes with the number and assigns the result.
  constexpr DataType &operator+=(DataType b) { return *this = DataType(value_ + b.value_); }
  constexpr DataType &operator-=(DataType b) { return *this = DataType(value_ - b.value_); }
  constexpr DataType &operator*=(DataType b) { return *this = DataType(value_ * b.value_); }
  constexpr DataType &operator/=(DataType b) { return *this = DataType(value_ / b.value_); }
  constexpr DataType &operator%=(DataType b) { return *this = DataType(value_ % b.value_); }
  constexpr DataType &operator++() { return *this += DataType(1u); }
  constexpr DataType &operator--() { return *this -= DataType(1u); }
  ///@}

  ///@{

  /// Computes with two numbers.
  friend constexpr DataType operator+(DataType a, DataType b) { return a += b; }
  friend constexpr DataType operator-(DataType a, DataType b) { return a -= b; }
  friend constexpr DataType operator*(DataType a, DataType b) { return a *= b; }
  friend constexpr DataType operator/(DataType a, DataType b) { return a /= b; }
  friend constexpr DataType operator%(DataType a, DataType b) { return a %= b; }
  ///@}

  /// Writes the number.
  friend std::ostream &operator<<(std::ostream &out, DataType x) { return out << x.value_; }
  /// Reads a number.
  friend std::istream &operator>>(std::istream &in, DataType &x) { return in >> x.value_; }

private:
  UnderlyingType value_ = 0;
};

} // namespace gccs::popsolver

template <> struct std::hash<gccs::popsolver::DataType> {
  std::size_t operator()(gccs::popsolver::DataType x) const noexcept {
    return std::hash<gccs::popsolver::DataType::UnderlyingType>()(*x);
  }
};
