#include "compiler/memory_sharing.hpp"

#include <algorithm>
#include <map>

namespace copse::compiler {
namespace {

/// Returns the first offset from \p offset on with an aligned address.
std::uint64_t aligned(std::uint64_t base, std::uint64_t offset, std::uint32_t align) {
  return (base + offset + align - 1) / align * align - base;
}

} // namespace

MemorySharing::MemorySharing(TileAllocator &allocator, const LiveRanges &ranges)
    : allocator_(allocator), ranges_(ranges), tiles_(allocator.tiles()) {}

/// Returns how many bytes of \p block no other block covers.
std::uint64_t MemorySharing::uncovered(const Tile &tile, const Block &block) {
  std::uint64_t bytes = 0, at = block.begin;
  for (const Block &other : tile.blocks) {
    if (other.begin >= block.end)
      break;
    if (other.begin > at)
      bytes += other.begin - at;
    at = std::max(at, other.end);
  }
  return at < block.end ? bytes + block.end - at : bytes;
}

/// \param wanted  begins at the lowest acceptable offset
std::uint64_t MemorySharing::lowestFree(const Tile &tile, Block wanted, std::uint32_t align) const {
  const std::uint64_t bytes = wanted.end - wanted.begin;
  std::uint64_t begin = aligned(tile.base, wanted.begin, align);
  for (const Block &block : tile.blocks) {
    if (block.begin >= begin + bytes)
      break;
    if (block.end > begin && ranges_.overlap(block.range, wanted.range))
      begin = aligned(tile.base, block.end, align);
  }
  return begin;
}

/// \param wanted  begins at offset 0
std::uint64_t MemorySharing::lowestWithin(const Tile &tile, const Block &wanted,
                                          std::uint32_t align, const Bounds &bounds) const {
  std::uint64_t least = bounds.lowest > tile.base ? bounds.lowest - tile.base : 0;
  for (;;) {
    const std::uint64_t begin = lowestFree(tile, {least, least + wanted.end, wanted.range}, align);
    const std::uint64_t first = tile.base + begin, end = first + wanted.end;
    const auto hit = std::ranges::find_if(bounds.taken, [&](const AddressRange &range) {
      return range.begin < end && range.end > first;
    });
    if (hit == bounds.taken.end())
      return begin;
    least = hit->end - tile.base;
  }
}

std::uint32_t MemorySharing::baseOf(GlobalTile number) const {
  return tiles_[number].bytes > 0 ? tiles_[number].base : allocator_.endOf(number);
}

bool MemorySharing::fits(GlobalTile number, std::uint64_t bytes, std::uint32_t align,
                         LiveRanges::Id range, const Bounds &bounds) const {
  Tile empty;
  empty.base = baseOf(number);
  const Tile &tile = tiles_[number].bytes > 0 ? tiles_[number] : empty;
  return lowestWithin(tile, {0, bytes, range}, align, bounds) + bytes <= roomAbove(tile.base);
}

std::uint64_t MemorySharing::mostLive(const std::vector<Block> &blocks) const {
  std::uint64_t always = 0;
  std::map<std::uint64_t, std::int64_t> changes; // by step
  for (const Block &block : blocks) {
    const auto bytes = static_cast<std::int64_t>(block.end - block.begin);
    if (block.range == LiveRanges::kAlways)
      always += block.end - block.begin;
    for (const LiveInterval &interval : ranges_.of(block.range)) {
      changes[interval.first] += bytes;
      changes[std::uint64_t{interval.last} + 1] -= bytes;
    }
  }
  std::int64_t live = 0, most = 0;
  for (const auto &[step, bytes] : changes) {
    live += bytes;
    most = std::max(most, live);
  }
  return always + static_cast<std::uint64_t>(most);
}

std::uint64_t MemorySharing::leastUsed(GlobalTile number) const {
  const Tile &tile = tiles_[number];
  return allocator_.used(number) - tile.bytes + mostLive(tile.blocks);
}

std::optional<std::uint32_t> MemorySharing::placeOnOthers(GlobalTile number,
                                                          std::uint64_t bytes) const {
  constexpr std::uint64_t kAlign = 16;
  const std::uint64_t used = allocator_.used(number);
  const std::uint64_t end = allocator_.endOf(number);
  if (bytes + kAlign > used)
    return std::nullopt;
  return static_cast<std::uint32_t>((end - bytes) / kAlign * kAlign);
}

std::uint32_t MemorySharing::place(GlobalTile number, std::uint64_t bytes, std::uint32_t align,
                                   LiveRanges::Id range, const Bounds &bounds) {
  Tile &tile = tiles_[number];
  if (tile.bytes == 0)
    tile.base = allocator_.allocate(number, 0, 1);
  std::uint64_t begin = lowestWithin(tile, {0, bytes, range}, align, bounds);
  if (!bounds.binding && begin + bytes > roomAbove(tile.base))
    begin = lowestFree(tile, {0, bytes, range}, align);
  const Block block{begin, begin + bytes, range};
  tile.covered += uncovered(tile, block);
  const auto after =
      std::upper_bound(tile.blocks.begin(), tile.blocks.end(), block,
                       [](const Block &a, const Block &b) { return a.begin < b.begin; });
  tile.blocks.insert(after, block);
  if (block.end > tile.bytes) {
    allocator_.allocate(number, block.end - tile.bytes, 1);
    tile.bytes = block.end;
  }
  allocator_.setGaps(number, tile.bytes - tile.covered);
  return static_cast<std::uint32_t>(tile.base + begin);
}

} // namespace copse::compiler
