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

/// Where a block may stand.
struct Bounds {
  std::uint32_t lowest = 0;        ///< address
  std::vector<AddressRange> taken; ///< not there
  bool binding = false;            ///< even if the tile's memory is too small for that

  bool allow(const AddressRange &range) const {
    return range.begin >= lowest &&
           std::ranges::none_of(taken, [&range](const AddressRange &other) {
             return other.begin < range.end && other.end > range.begin;
           });
  }
};

/// The part of each tile's memory that blocks share whose contents are never needed at the same
/// time. It stands above everything that has memory of its own.
class MemorySharing {
public:
  /// Starts where \p allocator has got to on each tile; nobody else allocates from then on.
  MemorySharing(TileAllocator &allocator, const LiveRanges &ranges);

  /// \returns the address: the lowest one within \p bounds at which no block lies that is needed
  /// when this one is
  std::uint32_t place(GlobalTile tile, std::uint64_t bytes, std::uint32_t align,
                      LiveRanges::Id range, const Bounds &bounds = {});

  /// For what is never live: an address in memory that others have, if that is large enough.
  std::optional<std::uint32_t> placeOnOthers(GlobalTile tile, std::uint64_t bytes) const;

  /// Whether place() would find an address within \p bounds and the tile's memory.
  bool fits(GlobalTile tile, std::uint64_t bytes, std::uint32_t align, LiveRanges::Id range,
            const Bounds &bounds) const;

  /// The memory of \p tile without the gaps between blocks that are live together: no order of blocks needs less. [bytes]
  std::uint64_t leastUsed(GlobalTile tile) const;

private:
  struct Block {
    std::uint64_t begin, end; ///< from the start of the shared part
    LiveRanges::Id range;
  };
  struct Tile {
    std::uint32_t base = 0;
    std::uint64_t bytes = 0;   ///< to the end of the highest block
    std::uint64_t covered = 0; ///< of them, those that some block has
    std::vector<Block> blocks; ///< by begin
  };
  /// Where the shared part starts, or would, if nothing is in it yet.
  std::uint32_t baseOf(GlobalTile tile) const;
  std::uint64_t roomAbove(std::uint32_t base) const {
    return allocator_.base() + allocator_.capacity() - base;
  }
  /// What is live at the fullest step.
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
