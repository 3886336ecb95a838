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

  /// \returns the address; \p align is a power of two
  std::uint32_t allocate(GlobalTile tile, std::uint64_t bytes, std::uint32_t align);
  std::uint64_t used(GlobalTile tile) const { return used_[tile]; }
  /// The memory that the tile must have, what loads may run over its end included.
  std::uint64_t bytesFor(GlobalTile tile) const;
  std::uint64_t capacity() const { return capacity_; }
  std::uint32_t base() const { return base_; }
  std::uint32_t tiles() const { return static_cast<std::uint32_t>(used_.size()); }
  /// Tiles that do not fit, worst first.
  std::vector<GlobalTile> overflowing() const;

private:
  std::uint32_t base_;
  std::uint64_t capacity_;
  std::vector<std::uint64_t> used_; ///< shape [tiles], bytes
};

} // namespace copse::compiler
