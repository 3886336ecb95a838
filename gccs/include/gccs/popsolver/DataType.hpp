#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <limits>
#include <ostream>
#include <type_traits>

namespace gccs::popsolver {

/// The value of a variable: a count from 0 to max(). As a class of its own, it is never made from a
/// number implicitly. Its arithmetic is unsigned, without checks for overflow.
class DataType {
public:
  using UnderlyingType = std::uint64_t;

  constexpr DataType() = default;
  template <typename T, typename = std::enable_if_t<std::is_arithmetic<T>::value>>
  constexpr explicit DataType(T value) : value_(static_cast<UnderlyingType>(value)) {}

  static constexpr DataType min() { return DataType(UnderlyingType(0)); }
  static constexpr DataType max() { return DataType(std::numeric_limits<UnderlyingType>::max()); }

  constexpr UnderlyingType operator*() const { return value_; }
  /// Returns the number as a \p T. The caller must know that \p T can hold it.
  template <typename T> constexpr T getAs() const { return static_cast<T>(value_); }

  friend constexpr bool operator==(DataType a, DataType b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(DataType a, DataType b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(DataType a, DataType b) { return a.value_ < b.value_; }
  friend constexpr bool operator>(DataType a, DataType b) { return a.value_ > b.value_; }
  friend constexpr bool operator<=(DataType a, DataType b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>=(DataType a, DataType b) { return a.value_ >= b.value_; }

  constexpr DataType &operator+=(DataType b) { return *this = DataType(value_ + b.value_); }
  constexpr DataType &operator-=(DataType b) { return *this = DataType(value_ - b.value_); }
  constexpr DataType &operator*=(DataType b) { return *this = DataType(value_ * b.value_); }
  constexpr DataType &operator/=(DataType b) { return *this = DataType(value_ / b.value_); }
  constexpr DataType &operator%=(DataType b) { return *this = DataType(value_ % b.value_); }
  constexpr DataType &operator++() { return *this += DataType(1u); }
  constexpr DataType &operator--() { return *this -= DataType(1u); }

  friend constexpr DataType operator+(DataType a, DataType b) { return a += b; }
  friend constexpr DataType operator-(DataType a, DataType b) { return a -= b; }
  friend constexpr DataType operator*(DataType a, DataType b) { return a *= b; }
  friend constexpr DataType operator/(DataType a, DataType b) { return a /= b; }
  friend constexpr DataType operator%(DataType a, DataType b) { return a %= b; }

  friend std::ostream &operator<<(std::ostream &out, DataType x) { return out << x.value_; }
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
