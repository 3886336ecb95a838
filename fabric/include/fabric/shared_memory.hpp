#pragma once

#include "fabric/descriptor.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <utility>

namespace copse::fabric {

/// Memory that processes of one machine share: a file without a name, which no process can open and
/// which is freed with the last process that has it. Its size is sealed, so that no process can
/// remove pages that another uses. Move-only.
class SharedMemory {
public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(SharedMemory &&other) noexcept
      : descriptor_(std::move(other.descriptor_)), data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  SharedMemory &operator=(SharedMemory &&other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  /// Creates memory of zeros. Pages take memory when they are first touched.
  /// \returns OutOfMemory
  static wire::Result<SharedMemory> create(const char *name, std::size_t bytes);
  /// Maps memory that another process has created.
  /// \returns BadFrame if it is not sealed memory of \p bytes
  static wire::Result<SharedMemory> adopt(Descriptor descriptor, std::size_t bytes);

  std::byte *data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_.number(); }

private:
  static wire::Result<SharedMemory> map(Descriptor descriptor, std::size_t bytes);

  Descriptor descriptor_;
  std::byte *data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace copse::fabric
