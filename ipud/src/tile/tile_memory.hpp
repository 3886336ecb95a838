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

/// The memory of all tiles of one IPU, mapped so that codelets use native addresses. Tile t has the
/// slot base() + t * 2^slotBits, aligned to its size, of which only the populated range is
/// accessible. A native address is slot | tile address, and an access outside of the populated
/// range faults where the hardware raises an exception (guide, 7.2). Pages become resident when
/// they are touched.
///
/// Life: map(), use, then map() or clear() again, which both zero every byte.
class TileMemory {
public:
  TileMemory() = default;
  ~TileMemory();
  TileMemory(const TileMemory &) = delete;
  TileMemory &operator=(const TileMemory &) = delete;

  /// Maps the slots of \p geometry, filled with zeroes. Reuses a mapping of equal geometry.
  /// \param used  the tiles that get memory, shape [tiles]; empty: all tiles. Each tile needs two
  ///   of the mappings that a process may have
  /// \returns OutOfMemory if the address space or the number of mappings (vm.max_map_count) is too
  ///   small
  wire::Status map(const wire::TileGeometry &geometry, std::vector<bool> used = {});

  /// Zeroes every tile and returns the pages to the system.
  void clear();

  const wire::TileGeometry &geometry() const { return geometry_; }

  std::byte *at(std::uint32_t tile, std::uint32_t address) const {
    return base_ + (std::size_t{tile} << geometry_.slotBits) + address;
  }
  std::byte *at(wire::TileAddress a) const { return at(a.tile, a.address); }

  /// Returns true if [address, address + bytes) of \p tile is populated; false for a tile without
  /// memory.
  bool populated(std::uint32_t tile, std::uint64_t address, std::uint64_t bytes) const;

  /// Sets the words with parity errors, which must be ascending: MemoryErrors::words(). Readers
  /// must check for errors themselves; native code is stopped on guarded tiles.
  void setErrors(std::vector<wire::TileAddress> words) { errors_ = std::move(words); }
  bool hasErrors() const { return !errors_.empty(); }
  /// Returns the words of \p tile with errors.
  std::span<const wire::TileAddress> errorsOf(std::uint32_t tile) const;
  /// Returns the first word with an error that [address, address + bytes) of \p tile touches; null
  /// if there is none.
  const wire::TileAddress *errorIn(std::uint32_t tile, std::uint64_t address,
                                   std::uint64_t bytes) const;
  /// Removes and restores access to those pages of \p tile that have errors.
  void guard(std::uint32_t tile) const { protectErrors(tile, false); }
  void open(std::uint32_t tile) const { protectErrors(tile, true); }
  /// Returns true if guard() affects the page of an address.
  bool isGuarded(wire::TileAddress where) const;
  /// Restores access to the page of one address. May be called in a signal handler.
  void openPage(wire::TileAddress where) const;

  static constexpr std::uint32_t kPage = 4096; ///< page of x86-64, the unit of protection [bytes]
  /// Permits or prevents all accesses to the pages of [address, address + bytes) of \p tile, also
  /// where the tile has no memory. Returns false if the system refuses.
  bool protect(std::uint32_t tile, std::uint32_t address, std::size_t bytes, bool accessible) const;

  /// Finds the tile and the tile address of a native address. Returns false if it is in no tile.
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
