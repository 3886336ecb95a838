#pragma once

#include "poplar/StandardHeaders.hpp"

#include <cstddef>
#include <ostream>
#include <type_traits>
#include <utility>

namespace poplar {

/// The half-open range [begin, end). Ordered by begin, then end.
template <typename T> class GenericInterval {
public:
  constexpr GenericInterval() : begin_(), end_() {}
  constexpr GenericInterval(T begin, T end) : begin_(begin), end_(end) {}
  /// Any other integers, so that a braced pair of unsigned or int variables does not narrow.
  template <typename A, typename B,
            typename = typename std::enable_if<std::is_integral<A>::value &&
                                               std::is_integral<B>::value>::type>
  constexpr GenericInterval(A begin, B end)
      : begin_(static_cast<T>(begin)), end_(static_cast<T>(end)) {}

  constexpr const T &begin() const { return begin_; }
  constexpr const T &end() const { return end_; }
  constexpr T size() const { return end_ - begin_; }
  // Other names of begin() and end().
  constexpr const T &lower() const { return begin_; }
  constexpr const T &upper() const { return end_; }

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
  friend std::ostream &operator<<(std::ostream &out, const GenericInterval &i) {
    return out << '[' << i.begin_ << ',' << i.end_ << ')';
  }

private:
  T begin_, end_;
};

/// A range of elements, by their position in a flattened tensor.
using Interval = GenericInterval<std::size_t>;

} // namespace poplar
