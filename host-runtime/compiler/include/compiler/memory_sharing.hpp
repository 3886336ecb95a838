#pragma once

#include "compiler/live_ranges.hpp"
#include "compiler/tile_allocator.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace copse::compiler {

struct AddressRange {
  std::uint64_t begin = 0, end = 0; ///< tile addresses
};

/// The addresses that a block may have.
struct Bounds {
  std::uint32_t lowest = 0;        ///< address
  std::vector<AddressRange> taken; ///< ranges to avoid
  bool binding = false;            ///< true: even if the tile's memory becomes too small

  bool allow(const AddressRange &range) const {
    return range.begin >= lowest &&
           std::ranges::none_of(taken, [&range](const AddressRange &other) {
             return other.begin < range.end && other.end > range.begin;
           });
  }
};

/// The part of each tile's memory in which blocks share addresses if their contents are never
/// needed at one time. The shared part lies above everything that does not share memory.
class MemorySharing {
public:
  /// Begins at the current end of \p allocator on each tile; nothing else may allocate afterwards.
  MemorySharing(TileAllocator &allocator, const LiveRanges &ranges);

  /// \returns the lowest address within \p bounds that no block overlaps which is needed at one
  ///   time with this one
  std::uint32_t place(GlobalTile tile, std::uint64_t bytes, std::uint32_t align,
                      LiveRanges::Id range, const Bounds &bounds = {});

  /// Returns an address for an item that is never live, in memory of other blocks; nothing if that
  /// is too small.
  std::optional<std::uint32_t> placeOnOthers(GlobalTile tile, std::uint64_t bytes) const;

  /// Returns true if place() would find an address within \p bounds and the tile's memory.
  bool fits(GlobalTile tile, std::uint64_t bytes, std::uint32_t align, LiveRanges::Id range,
            const Bounds &bounds) const;

  /// Returns the memory of \p tile without the gaps between blocks that are live together, which is
  /// a lower bound for any order of blocks [bytes].
  std::uint64_t leastUsed(GlobalTile tile) const;

private:
  struct Block {
    std::uint64_t begin, end; ///< from the start of the shared part
    LiveRanges::Id range;
  };
  struct Tile {
    std::uint32_t base = 0;
    std::uint64_t bytes = 0;   ///< up to the end of the highest block
    std::uint64_t covered = 0; ///< bytes that belong to a block
    std::vector<Block> blocks; ///< by begin
  };
  /// Returns the start of the shared part, or its future start if it is empty.
  std::uint32_t baseOf(GlobalTile tile) const;
  std::uint64_t roomAbove(std::uint32_t base) const {
    return allocator_.base() + allocator_.capacity() - base;
  }
  /// Returns the live bytes at the fullest step.
  std::uint64_t mostLive(const std::vector<Block> &blocks) const;
  static std::uint64_t uncovered(const Tile &tile, const Block &block);
  std::uint64_t lowestFree(const Tile &tile, Block wanted, std::uint32_t align) const;
  std::uint64_t lowestWithin(const Tile &tile, const Block &wanted, std::uint32_t align,
                             const Bounds &bounds) const;

  TileAllocator &allocator_;
  const LiveRanges &ranges_;
  std::vector<Tile> tiles_;
};

} // namespace copse::compiler
