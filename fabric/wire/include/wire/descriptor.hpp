#pragma once

#include <unistd.h>
#include <utility>

namespace copse::wire {

/// Owns a file descriptor and closes it. Move-only.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {} ///< negative: none
  ~Descriptor() {
    if (number_ >= 0)
      ::close(number_);
  }
  Descriptor(Descriptor &&other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }

  int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Gives up ownership; the caller must close the descriptor.
  int release() { return std::exchange(number_, -1); }

private:
  int number_ = -1;
};

} // namespace copse::wire
