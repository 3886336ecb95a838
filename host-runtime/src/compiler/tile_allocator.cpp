#include "compiler/tile_allocator.hpp"

#include <algorithm>

namespace copse::compiler {

namespace {
// The hardware's loads may run past the last element they need; the guide asks to leave room for
// that at the end of memory (guide, 7.3).
constexpr std::uint64_t kOverReadBytes = 32;
} // namespace

TileAllocator::TileAllocator(std::uint32_t tiles, std::uint32_t base, std::uint64_t bytes)
    : base_(base), capacity_(bytes - kOverReadBytes), used_(tiles, 0) {}

std::uint32_t TileAllocator::allocate(GlobalTile tile, std::uint64_t bytes, std::uint32_t align) {
  // Alignment is that of the address, not of the offset; every base is a multiple of every
  // alignment in use.
  const std::uint64_t start = (used_[tile] + align - 1) & ~std::uint64_t{align - 1};
  used_[tile] = start + bytes;
  return static_cast<std::uint32_t>(base_ + start);
}

std::uint64_t TileAllocator::bytesFor(GlobalTile tile) const {
  return used_[tile] + kOverReadBytes;
}

std::vector<GlobalTile> TileAllocator::overflowing() const {
  std::vector<GlobalTile> tiles;
  for (GlobalTile tile = 0; tile < used_.size(); ++tile)
    if (used_[tile] > capacity_)
      tiles.push_back(tile);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](GlobalTile a, GlobalTile b) { return used_[a] > used_[b]; });
  return tiles;
}

} // namespace copse::compiler
