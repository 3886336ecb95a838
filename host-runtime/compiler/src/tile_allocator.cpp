#include "compiler/tile_allocator.hpp"

#include <algorithm>

namespace copse::compiler {

namespace {
// The hardware's loads may run past the last element that they need; the guide requires room for
// that at the end of memory (guide, 7.3).
constexpr std::uint64_t kOverReadBytes = 32;

// Cache lines of the host that emulates the tiles.
constexpr std::uint64_t kLineBytes = 64, kLines = TileAllocator::kPageBytes / kLineBytes;
} // namespace

TileAllocator::TileAllocator(std::uint32_t tiles, std::uint32_t base, std::uint64_t bytes)
    : base_(base), capacity_(bytes - kOverReadBytes), begin_(tiles, 0), end_(tiles, 0),
      gaps_(tiles, 0) {}

void TileAllocator::spread(std::uint32_t tilesPerIpu, std::uint32_t pages) {
  for (GlobalTile tile = 0; tile < tiles(); ++tile) {
    const std::uint64_t number = tile % tilesPerIpu;
    // Tiles on one page begin on different cache lines.
    const std::uint64_t page = (number + number / kLines) % pages;
    begin_[tile] = number % kLines * kLineBytes + page * kPageBytes;
    end_[tile] = begin_[tile];
  }
}

std::uint32_t TileAllocator::allocate(GlobalTile tile, std::uint64_t bytes, std::uint32_t align) {
  // Align the address instead of the offset: every base is a multiple of all alignments in use.
  const std::uint64_t start = (end_[tile] + align - 1) & ~std::uint64_t{align - 1};
  end_[tile] = start + bytes + gap_;
  return static_cast<std::uint32_t>(base_ + start);
}

std::uint64_t TileAllocator::bytesFor(GlobalTile tile) const { return end_[tile] + kOverReadBytes; }

std::vector<GlobalTile> TileAllocator::overflowing() const {
  std::vector<GlobalTile> tiles;
  for (GlobalTile tile = 0; tile < end_.size(); ++tile)
    if (end_[tile] > capacity_)
      tiles.push_back(tile);
  std::stable_sort(tiles.begin(), tiles.end(),
                   [&](GlobalTile a, GlobalTile b) { return end_[a] > end_[b]; });
  return tiles;
}

} // namespace copse::compiler
