#pragma once

#include "poplar/StandardHeaders.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace poplar {

/// Passes a list of \p T that the caller owns, without a copy: the parameter type of functions that
/// accept any vector, array or braced list.
///
/// The array stays where it is: an ArrayRef has a pointer and a size only. A braced list lives
/// until the end of the full expression, so an ArrayRef is for parameters; to keep the elements,
/// use cloneAsVector().
template <typename T> class ArrayRef {
public:
  /// The elements' type.
  using value_type = T;
  /// The elements' type without const: float for an ArrayRef<const float>.
  using element = typename std::remove_const<T>::type;
  /// Points to an element.
  using const_iterator = const T *;
  /// Equals const_iterator.
  using iterator = const_iterator;

  /// Makes an empty list.
  constexpr ArrayRef() : data_(nullptr), size_(0) {}

  ///@{

  /// Views elements: a pointer and a size or an end, a vector, a braced list or an array.
  constexpr ArrayRef(const T *data, std::size_t size) : data_(data), size_(size) {}
  ArrayRef(const T *begin, const T *end)
      : data_(begin), size_(static_cast<std::size_t>(end - begin)) {}
  ArrayRef(const std::vector<element> &v) : data_(v.data()), size_(v.size()) {}
  ArrayRef(std::initializer_list<T> list) : data_(nullptr), size_(list.size()) {
    data_ = list.begin(); // not in the initialiser list: compilers warn there that the list may die
                          // first
  }
  template <std::size_t N> ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
  template <std::size_t N> ArrayRef(const std::array<element, N> &a) : data_(a.data()), size_(N) {}
  ///@}

  ///@{

  /// Gives the elements; indices are not checked.
  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  const T *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  const T &front() const { return data_[0]; }
  const T &back() const { return data_[size_ - 1]; }
  ///@}

  ///@{

  /// Copies the elements to a vector.
  std::vector<element> cloneAsVector() const { return std::vector<element>(begin(), end()); }
  operator std::vector<element>() const { return cloneAsVector(); }
  ///@}

  ///@{

  /// Compares sizes and elements.
  friend bool operator==(ArrayRef a, ArrayRef b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  friend bool operator!=(ArrayRef a, ArrayRef b) { return !(a == b); }
  ///@}

private:
  const T *data_;
  std::size_t size_;
};

#if __cplusplus >= 201703L
template <typename T> ArrayRef(const std::vector<T> &) -> ArrayRef<T>;
template <typename T, std::size_t N> ArrayRef(const std::array<T, N> &) -> ArrayRef<T>;
#endif

} // namespace poplar

/// Names of the library GCCS, as libraries of later releases spell them.
namespace gccs {
/// Names poplar::ArrayRef.
using poplar::ArrayRef;
} // namespace gccs
