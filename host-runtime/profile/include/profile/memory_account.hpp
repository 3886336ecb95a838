#pragma once

#include "compiler/memory_layout.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace copse::profile {

using compiler::MemoryUse;
inline constexpr std::size_t kMemoryUses = compiler::kMemoryUses;

/// The parts of a tile's memory.  Source: guide, 8.2.3.
enum class MemoryRegion : std::uint8_t {
  NonInterleaved,
  Interleaved,
  Overflowed ///< beyond the end of the tile's memory
};
inline constexpr std::size_t kMemoryRegions = 3;

/// The bytes in each MemoryRegion.
struct RegionBytes {
  std::array<std::uint64_t, kMemoryRegions> bytes{};
  std::uint64_t total() const { return bytes[0] + bytes[1] + bytes[2]; }
  RegionBytes &operator+=(const RegionBytes &other) {
    for (std::size_t region = 0; region < kMemoryRegions; ++region)
      bytes[region] += other.bytes[region];
    return *this;
  }
};

/// The memory of one item, or of all items of one use.
struct UseBytes {
  RegionBytes notOverlapped;
  RegionBytes overlapped; ///< addresses shared with items that are needed at other times
};

/// The memory of one tile, or the sum over several tiles.
///
/// Each byte counts once, in `once` or in `shared`. The overlapped bytes of all uses add up to more
/// than `shared`, because each shared byte belongs to two or more uses.
struct MemoryAccount {
  std::array<UseBytes, kMemoryUses> uses; ///< by MemoryUse
  RegionBytes once;           ///< bytes of exactly one item; the sum of all notOverlapped
  RegionBytes shared;         ///< bytes of several items
  std::uint64_t withGaps = 0; ///< from the first byte to the last one

  std::uint64_t withoutGaps() const { return once.total() + shared.total(); }
  MemoryAccount &operator+=(const MemoryAccount &other);
};

/// The addresses at which a tile's memory changes its kind.
struct MemoryBounds {
  std::uint64_t interleaved = ~std::uint64_t{0}; ///< first interleaved address
  std::uint64_t end = ~std::uint64_t{0};         ///< end of the tile's memory
};

MemoryAccount accountOfTile(const compiler::MemoryLayout &layout, compiler::GlobalTile tile,
                            const MemoryBounds &bounds);

/// Returns the accounts of all tiles, shape [tiles]. The effort grows with the number of blocks,
/// not of bytes.
std::vector<MemoryAccount> accountsOfTiles(const compiler::MemoryLayout &layout,
                                           const MemoryBounds &bounds);

} // namespace copse::profile
