#pragma once

#include "wire/image.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace copse::compiler {

/// Answers which memory of all tiles some copies touch, so that copies which do not depend on each
/// other can share an exchange.
class RegionSet {
public:
  void add(const wire::Region &region);
  void add(std::span<const wire::Region> regions);

  /// Returns true if a byte of \p region may be in the set. False is certain. True is not where
  /// strides differ, or where very many regions interleave.
  bool mayContain(const wire::Region &region);
  /// Returns true if a byte of \p regions may be in the set.
  bool mayContainAny(std::span<const wire::Region> regions);

private:
  /// A region and its range of addresses, including the gaps of its stride.
  struct Entry {
    std::int64_t begin, end;
    wire::Region region;
    std::int64_t endSoFar; ///< the largest end of the entries up to this one
  };
  /// The regions of a tile, of which the first `sorted` are in the order of their begin.
  struct Tile {
    std::vector<Entry> entries;
    std::size_t sorted = 0;
  };
  static Entry entryOf(const wire::Region &region);
  static void sort(Tile &tile);

  std::unordered_map<std::uint32_t, Tile> tiles_;
};

} // namespace copse::compiler
