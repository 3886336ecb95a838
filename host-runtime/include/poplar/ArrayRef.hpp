#pragma once

#include "poplar/StandardHeaders.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <type_traits>
#include <vector>

namespace poplar {

/// A view of a list of \p T that the caller owns: the parameter type of functions that accept any
/// vector, array or braced list.
///
/// It keeps a pointer and a size only. A braced list lives until the end of the full expression, so
/// an ArrayRef is for parameters; to keep the elements, use cloneAsVector().
template <typename T> class ArrayRef {
public:
  using value_type = T;
  using element = typename std::remove_const<T>::type; ///< an ArrayRef<const float> is of floats
  using const_iterator = const T *;
  using iterator = const_iterator;

  constexpr ArrayRef() : data_(nullptr), size_(0) {}
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

  const T *begin() const { return data_; }
  const T *end() const { return data_ + size_; }
  const T *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T &operator[](std::size_t i) const { return data_[i]; }
  const T &front() const { return data_[0]; }
  const T &back() const { return data_[size_ - 1]; }

  std::vector<element> cloneAsVector() const { return std::vector<element>(begin(), end()); }
  operator std::vector<element>() const { return cloneAsVector(); }

  friend bool operator==(ArrayRef a, ArrayRef b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  friend bool operator!=(ArrayRef a, ArrayRef b) { return !(a == b); }

private:
  const T *data_;
  std::size_t size_;
};

#if __cplusplus >= 201703L
template <typename T> ArrayRef(const std::vector<T> &) -> ArrayRef<T>;
template <typename T, std::size_t N> ArrayRef(const std::array<T, N> &) -> ArrayRef<T>;
#endif

} // namespace poplar

/// What libraries of later releases call it.
namespace gccs {
using poplar::ArrayRef;
}
