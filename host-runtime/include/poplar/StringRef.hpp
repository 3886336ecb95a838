#pragma once

#include "poplar/StandardHeaders.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <string>

namespace poplar {

/// A view of text that the caller owns; converts from and to strings and literals. It need not end
/// in a zero byte.
class StringRef {
public:
  using const_iterator = const char *;

  constexpr StringRef() : data_(""), size_(0) {}
  StringRef(const char *s) : data_(s ? s : ""), size_(s ? std::strlen(s) : 0) {}
  StringRef(const std::string &s) : data_(s.data()), size_(s.size()) {}
  constexpr StringRef(const char *data, std::size_t size) : data_(data), size_(size) {}

  const char *begin() const { return data_; }
  const char *end() const { return data_ + size_; }
  const char *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char operator[](std::size_t i) const { return data_[i]; }

  operator std::string() const { return std::string(data_, size_); }
  std::string cloneAsString() const { return std::string(data_, size_); }

  // One overload each is enough: std::string and literals convert to StringRef, and the standard's
  // templates never match a StringRef.
  friend bool operator==(StringRef a, StringRef b) { return a.compare(b) == 0; }
  friend bool operator!=(StringRef a, StringRef b) { return a.compare(b) != 0; }
  friend bool operator<(StringRef a, StringRef b) { return a.compare(b) < 0; }
  friend bool operator<=(StringRef a, StringRef b) { return a.compare(b) <= 0; }
  friend bool operator>(StringRef a, StringRef b) { return a.compare(b) > 0; }
  friend bool operator>=(StringRef a, StringRef b) { return a.compare(b) >= 0; }
  friend std::string operator+(StringRef a, StringRef b) {
    std::string sum;
    sum.reserve(a.size_ + b.size_);
    return sum.append(a.data_, a.size_).append(b.data_, b.size_);
  }
  friend std::ostream &operator<<(std::ostream &out, StringRef s);

private:
  int compare(StringRef other) const {
    const std::size_t common = size_ < other.size_ ? size_ : other.size_;
    const int order = common == 0 ? 0 : std::memcmp(data_, other.data_, common);
    if (order != 0)
      return order;
    return size_ < other.size_ ? -1 : size_ > other.size_ ? 1 : 0;
  }

  const char *data_;
  std::size_t size_;
};

std::ostream &operator<<(std::ostream &out, StringRef s);

} // namespace poplar

namespace std {
template <> struct hash<poplar::StringRef> {
  size_t operator()(poplar::StringRef s) const { return hash<string>()(s); }
};
} // namespace std
