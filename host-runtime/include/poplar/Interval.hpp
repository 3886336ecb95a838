#pragma once

#include "poplar/StandardHeaders.hpp"

#include <cstddef>
#include <ostream>
#include <type_traits>
#include <utility>

namespace poplar {

/// Holds the half-open range [begin, end). Ordered by begin, then end.
template <typename T> class GenericInterval {
public:
  /// Makes the empty range at 0.
  constexpr GenericInterval() : begin_(), end_() {}
  /// Makes the range [begin, end).
  constexpr GenericInterval(T begin, T end) : begin_(begin), end_(end) {}
  /// Makes a range of any other integers, so that a braced pair of unsigned or int variables does
  /// not narrow.
  template <typename A, typename B,
            typename = typename std::enable_if<std::is_integral<A>::value &&
                                               std::is_integral<B>::value>::type>
  constexpr GenericInterval(A begin, B end)
      : begin_(static_cast<T>(begin)), end_(static_cast<T>(end)) {}

  /// Returns the first value.
  constexpr const T &begin() const { return begin_; }
  /// Returns the value behind the last.
  constexpr const T &end() const { return end_; }
  /// Returns the number of values.
  constexpr T size() const { return end_ - begin_; }

  ///@{

  /// Returns begin() or end(), by another name.
  constexpr const T &lower() const { return begin_; }
  constexpr const T &upper() const { return end_; }
  ///@}

  ///@{

  /// Compares by begin, then by end.
  friend bool operator==(const GenericInterval &a, const GenericInterval &b) {
    return a.begin_ == b.begin_ && a.end_ == b.end_;
  }
  friend bool operator<(const GenericInterval &a, const GenericInterval &b) {
    return a.begin_ < b.begin_ || (a.begin_ == b.begin_ && a.end_ < b.end_);
  }
  friend bool operator!=(const GenericInterval &a, const GenericInterval &b) { return !(a == b); }
  friend bool operator>(const GenericInterval &a, const GenericInterval &b) { return b < a; }
  friend bool operator<=(const GenericInterval &a, const GenericInterval &b) { return !(b < a); }
  friend bool operator>=(const GenericInterval &a, const GenericInterval &b) { return !(a < b); }
  ///@}

  /// Writes "[begin,end)".
  friend std::ostream &operator<<(std::ostream &out, const GenericInterval &i) {
    return out << '[' << i.begin_ << ',' << i.end_ << ')';
  }

private:
  T begin_, end_;
};

/// Names a range of elements, by their position in a flattened tensor.
using Interval = GenericInterval<std::size_t>;

} // namespace poplar
