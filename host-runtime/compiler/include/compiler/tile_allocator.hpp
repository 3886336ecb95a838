#pragma once

#include <cstdint>
#include <vector>

namespace copse::compiler {

/// A tile of the replica, numbered over its IPUs: ipu * tilesPerIpu + tile.
using GlobalTile = std::uint32_t;

/// Hands out tile memory from the bottom up. Never fails: a tile that is too small shows in
/// overflowing(), so that one error can name all that did not fit.
class TileAllocator {
public:
  /// \param base, bytes  the populated range of every tile
  TileAllocator(std::uint32_t tiles, std::uint32_t base, std::uint64_t bytes);

  static constexpr std::uint64_t kPageBytes = 4096; ///< of the host
  /// For programs that nearly fill a tile, and for others: see spread().
  static constexpr std::uint32_t kFewPages = 16, kManyPages = 97;

  /// Lets each tile begin somewhat above the base, by multiples of 64 bytes and up to \p pages of the host; the first of
  /// an IPU does not. An emulated tile has 2 MiB of addresses, so what is at one address of all tiles is in few sets of
  /// the host's caches and TLBs: a row that lies on 1,472 tiles took five times as long. A second-level TLB of 256 sets
  /// keeps a page of each tile if they begin on about a hundred pages; then a row of 64 KiB, there and back, takes up to
  /// a quarter less again. Before the first allocate().
  void spread(std::uint32_t tilesPerIpu, std::uint32_t pages);

  /// Leaves \p bytes behind whatever is allocated from now on, so that an access that goes too far meets nothing.
  void leaveGaps(std::uint64_t bytes) { gap_ = bytes; }

  /// \returns the address; \p align is a power of two
  std::uint32_t allocate(GlobalTile tile, std::uint64_t bytes, std::uint32_t align);
  /// The address that follows what is allocated.
  std::uint32_t endOf(GlobalTile tile) const {
    return static_cast<std::uint32_t>(base_ + end_[tile]);
  }
  std::uint64_t used(GlobalTile tile) const { return end_[tile] - begin_[tile]; }
  /// Of used(), what nothing lies in: gaps that MemorySharing had to leave.
  std::uint64_t gaps(GlobalTile tile) const { return gaps_[tile]; }
  void setGaps(GlobalTile tile, std::uint64_t bytes) { gaps_[tile] = bytes; }
  /// The memory that the tile must have, what loads may run over its end included.
  std::uint64_t bytesFor(GlobalTile tile) const;
  std::uint64_t capacity() const { return capacity_; }
  std::uint32_t base() const { return base_; }
  std::uint32_t tiles() const { return static_cast<std::uint32_t>(end_.size()); }
  /// Tiles that do not fit, worst first.
  std::vector<GlobalTile> overflowing() const;

private:
  std::uint32_t base_;
  std::uint64_t capacity_, gap_ = 0;
  // Shape [tiles], bytes; begin and end count from the base.
  std::vector<std::uint64_t> begin_, end_, gaps_;
};

} // namespace copse::compiler
