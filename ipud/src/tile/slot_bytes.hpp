#pragma once

#include <cstddef>
#include <cstdint>

namespace copse::ipud {

/// A byte for each address of a tile's slot, initially zero, and resident only where touched.
class SlotBytes {
public:
  /// \throws std::bad_alloc
  explicit SlotBytes(std::size_t bytes);
  ~SlotBytes();
  SlotBytes(const SlotBytes &) = delete;
  SlotBytes &operator=(const SlotBytes &) = delete;

  std::uint8_t *at(std::size_t address) const { return bytes_ + address; }
  void clear();

private:
  std::uint8_t *bytes_ = nullptr;
  std::size_t size_;
};

} // namespace copse::ipud
