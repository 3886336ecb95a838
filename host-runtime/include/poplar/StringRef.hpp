#pragma once

#include "poplar/StandardHeaders.hpp"

#include <cstddef>
#include <cstring>
#include <functional>
#include <iosfwd>
#include <string>

namespace poplar {

/// Passes text that the caller owns, without a copy; converts from and to strings and literals. The
/// text need not end in a zero byte, and must live as long as the view.
class StringRef {
public:
  /// Points to a character.
  using const_iterator = const char *;

  /// Makes an empty view.
  constexpr StringRef() : data_(""), size_(0) {}
  /// Views text up to its zero byte; a null pointer is empty text.
  StringRef(const char *s) : data_(s ? s : ""), size_(s ? std::strlen(s) : 0) {}
  /// Views a string.
  StringRef(const std::string &s) : data_(s.data()), size_(s.size()) {}
  /// Views \p size characters.
  constexpr StringRef(const char *data, std::size_t size) : data_(data), size_(size) {}

  ///@{

  /// Gives the characters; indices are not checked.
  const char *begin() const { return data_; }
  const char *end() const { return data_ + size_; }
  const char *data() const { return data_; }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  char operator[](std::size_t i) const { return data_[i]; }
  ///@}

  /// Copies the text to a string.
  operator std::string() const { return std::string(data_, size_); }
  /// Copies the text to a string.
  std::string cloneAsString() const { return std::string(data_, size_); }

  // One overload each is enough: std::string and literals convert to StringRef, and the standard's
  // templates never match a StringRef.
  ///@{

  /// Compares text, as unsigned bytes.
  friend bool operator==(StringRef a, StringRef b) { return a.compare(b) == 0; }
  friend bool operator!=(StringRef a, StringRef b) { return a.compare(b) != 0; }
  friend bool operator<(StringRef a, StringRef b) { return a.compare(b) < 0; }
  friend bool operator<=(StringRef a, StringRef b) { return a.compare(b) <= 0; }
  friend bool operator>(StringRef a, StringRef b) { return a.compare(b) > 0; }
  friend bool operator>=(StringRef a, StringRef b) { return a.compare(b) >= 0; }
  ///@}

  /// Joins two texts to a new string.
  friend std::string operator+(StringRef a, StringRef b) {
    std::string sum;
    sum.reserve(a.size_ + b.size_);
    return sum.append(a.data_, a.size_).append(b.data_, b.size_);
  }
  /// Writes the text.
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

/// Writes the text.
std::ostream &operator<<(std::ostream &out, StringRef s);

} // namespace poplar

namespace std {
template <> struct hash<poplar::StringRef> {
  size_t operator()(poplar::StringRef s) const { return hash<string>()(s); }
};
} // namespace std
