#pragma once

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// A tile of the replica, numbered over its IPUs: ipu * tilesPerIpu + tile.
using GlobalTile = std::uint32_t;

/// Allocates tile memory from the bottom up. Never fails: overflowing() returns the tiles that are
/// too small, so that one error can name everything that does not fit.
class TileAllocator {
public:
  /// \param base, bytes  the populated range of every tile
  TileAllocator(std::uint32_t tiles, std::uint32_t base, std::uint64_t bytes);

  static constexpr std::uint64_t kPageBytes = 4096; ///< page size of the host
  /// Values for spread(), for programs that nearly fill a tile, and for others.
  static constexpr std::uint32_t kFewPages = 16, kManyPages = 97;

  /// Makes each tile begin slightly above the base, by multiples of 64 bytes, up to \p pages pages
  /// of the host; the first tile of an IPU begins at the base. The emulated tiles are 2 MiB apart,
  /// so data at equal addresses of all tiles fall into few sets of the host's caches and TLBs:
  /// copying a row across 1,472 tiles took five times as long without this. If tiles begin on about
  /// a hundred pages, a second-level TLB with 256 sets can keep a page of each tile; a 64 KiB row,
  /// there and back, then takes up to another quarter less. Call before the first allocate().
  void spread(std::uint32_t tilesPerIpu, std::uint32_t pages);

  /// Leaves \p bytes after each later allocation, so that an access beyond it hits unused memory.
  void leaveGaps(std::uint64_t bytes) { gap_ = bytes; }

  /// \returns the address; \p align must be a power of two
  std::uint32_t allocate(GlobalTile tile, std::uint64_t bytes, std::uint32_t align);
  /// Returns the end of the allocated memory.
  std::uint32_t endOf(GlobalTile tile) const {
    return static_cast<std::uint32_t>(base_ + end_[tile]);
  }
  std::uint64_t used(GlobalTile tile) const { return end_[tile] - begin_[tile]; }
  /// Returns the unused part of used(): gaps that MemorySharing had to leave.
  std::uint64_t gaps(GlobalTile tile) const { return gaps_[tile]; }
  void setGaps(GlobalTile tile, std::uint64_t bytes) { gaps_[tile] = bytes; }
  /// Returns the memory that the tile needs, including loads beyond the end of data.
  std::uint64_t bytesFor(GlobalTile tile) const;
  std::uint64_t capacity() const { return capacity_; }
  std::uint32_t base() const { return base_; }
  std::uint32_t tiles() const { return static_cast<std::uint32_t>(end_.size()); }
  /// Returns the tiles that do not fit, worst first.
  std::vector<GlobalTile> overflowing() const;

private:
  std::uint32_t base_;
  std::uint64_t capacity_, gap_ = 0;
  // Shape [tiles], in bytes; begin and end are relative to the base.
  std::vector<std::uint64_t> begin_, end_, gaps_;
};

} // namespace copse::compiler
