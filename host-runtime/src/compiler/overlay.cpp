#include "compiler/overlay.hpp"

#include <algorithm>

namespace copse::compiler {

Overlay::Overlay(TileAllocator &allocator, const LiveRanges &ranges)
    : allocator_(allocator), ranges_(ranges), tiles_(allocator.tiles()) {}

std::uint32_t Overlay::place(GlobalTile number, std::uint64_t bytes, std::uint32_t align,
                             LiveRanges::Id range) {
  Tile &tile = tiles_[number];
  if (tile.bytes == 0)
    tile.base = allocator_.allocate(number, 0, 1);
  const auto aligned = [&](std::uint64_t offset) {
    return (tile.base + offset + align - 1) / align * align - tile.base;
  };
  std::uint64_t begin = aligned(0);
  for (const Block &block : tile.blocks) {
    if (block.begin >= begin + bytes)
      break;
    if (block.end > begin && ranges_.overlap(block.range, range))
      begin = aligned(block.end);
  }
  const Block block{begin, begin + bytes, range};
  const auto after =
      std::upper_bound(tile.blocks.begin(), tile.blocks.end(), block,
                       [](const Block &a, const Block &b) { return a.begin < b.begin; });
  tile.blocks.insert(after, block);
  if (block.end > tile.bytes) {
    allocator_.allocate(number, block.end - tile.bytes, 1);
    tile.bytes = block.end;
  }
  return static_cast<std::uint32_t>(tile.base + begin);
}

} // namespace copse::compiler
