#pragma once

#include "wire/image.hpp"
#include "wire/result.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

namespace copse::ipud {

/// The memory of all tiles of one IPU, as real memory: tile t owns the slot base() + t *
/// 2^slotBits, aligned to its size, in which only the populated range can be read and written. So a
/// native address is slot | tile address, and an address outside faults where the hardware raises
/// an exception (guide, 7.2). Nothing is resident until touched.
///
/// Life: map(), use, then map() or clear() again: both leave every byte zero.
class TileMemory {
public:
  TileMemory() = default;
  ~TileMemory();
  TileMemory(const TileMemory &) = delete;
  TileMemory &operator=(const TileMemory &) = delete;

  /// Makes the slots of \p geometry, all zero. Keeps the mapping if it has that geometry already.
  /// \param used  which tiles get memory, shape [tiles]: each takes two of the mappings that a
  /// process may have; empty: all of them
  /// \returns OutOfMemory  the address space or the number of mappings (vm.max_map_count) does not
  /// suffice
  wire::Status map(const wire::TileGeometry &geometry, std::vector<bool> used = {});

  /// Zeroes every tile and gives the pages back.
  void clear();

  const wire::TileGeometry &geometry() const { return geometry_; }

  std::byte *at(std::uint32_t tile, std::uint32_t address) const {
    return base_ + (std::size_t{tile} << geometry_.slotBits) + address;
  }
  std::byte *at(wire::TileAddress a) const { return at(a.tile, a.address); }

  /// Whether [address, address + bytes) of \p tile is populated; never of a tile without memory.
  bool populated(std::uint32_t tile, std::uint64_t address, std::uint64_t bytes) const;

  /// The words whose parity is wrong, ascending, until it is called again: MemoryErrors::words().
  /// Whoever reads memory has to ask; native code is stopped where guard() has been.
  void setErrors(std::vector<wire::TileAddress> words) { errors_ = std::move(words); }
  bool hasErrors() const { return !errors_.empty(); }
  /// Those of \p tile.
  std::span<const wire::TileAddress> errorsOf(std::uint32_t tile) const;
  /// The first word with an error that [address, address + bytes) of \p tile touches; null if none.
  const wire::TileAddress *errorIn(std::uint32_t tile, std::uint64_t address,
                                   std::uint64_t bytes) const;
  /// Takes away, and gives back, all access to the pages of \p tile that have errors.
  void guard(std::uint32_t tile) const { protectErrors(tile, false); }
  void open(std::uint32_t tile) const { protectErrors(tile, true); }
  /// Whether guard() takes the page of an address.
  bool isGuarded(wire::TileAddress where) const;
  /// Gives back that to the page of one address. In a signal handler, too.
  void openPage(wire::TileAddress where) const;

  /// Where a native address lies: the tile and the address in its slot. False if in no tile.
  bool locate(const void *native, wire::TileAddress &where) const;

  std::uint32_t readWord(wire::TileAddress a) const {
    std::uint32_t word;
    std::memcpy(&word, at(a), sizeof word);
    return word;
  }
  void writeWord(wire::TileAddress a, std::uint32_t word) {
    std::memcpy(at(a), &word, sizeof word);
  }

private:
  std::size_t slotBytes() const { return std::size_t{1} << geometry_.slotBits; }
  std::size_t totalBytes() const { return geometry_.tiles * slotBytes(); }
  wire::Status reserve();
  wire::Status populate();
  void unmap();

  void protectErrors(std::uint32_t tile, bool accessible) const;

  bool isUsed(std::uint32_t tile) const { return used_.empty() || used_[tile]; }

  wire::TileGeometry geometry_;
  std::vector<bool> used_;
  std::vector<wire::TileAddress> errors_;
  std::byte *base_ = nullptr;
};

} // namespace copse::ipud
