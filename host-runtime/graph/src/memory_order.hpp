#pragma once

#include "regions.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace copse::graph {

/// Positions that are consecutive in memory and in the view.
struct MemoryPiece {
  ViewRegion region;
  std::uint64_t representative = 0; ///< first position with these elements
};

/// Pieces that are adjacent in memory.
using MemoryChain = std::vector<MemoryPiece>;

enum class AliasHandling : std::uint8_t {
  Keep,   ///< list all positions
  Remove, ///< list each element once
  Match   ///< list all positions, cut so that each piece has one representative
};

/// Cuts the intervals of a view's positions into pieces, and chains pieces that are adjacent in
/// memory. Chains are ordered by variable and element; elements that occur at several positions are
/// in several chains.
std::vector<MemoryChain> memoryOrder(const View &view, std::span<const PositionInterval> intervals,
                                     AliasHandling aliases);

/// Returns the elements to which a view refers, each once, as the fewest intervals, ordered by
/// variable and element. Their `position` is the number of preceding elements.
std::vector<ViewRegion> coveredElements(const View &view);

} // namespace copse::graph
