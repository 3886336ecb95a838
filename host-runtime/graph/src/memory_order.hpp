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
  std::uint64_t representative = 0; ///< position where the same elements stand first
};

/// Pieces one after the other in memory.
using MemoryChain = std::vector<MemoryPiece>;

enum class AliasHandling : std::uint8_t {
  Keep,   ///< list all positions
  Remove, ///< list each element once
  Match   ///< list all positions, cut so that each piece has one representative
};

/// Cuts the intervals of a view's positions into pieces and chains those that follow each other in
/// memory. Chains are in the order of variable and element; where elements stand at several
/// positions, a chain for each time.
std::vector<MemoryChain> memoryOrder(const View &view, std::span<const PositionInterval> intervals,
                                     AliasHandling aliases);

/// The elements that a view refers to, each once, as the fewest intervals, in the order of variable
/// and element. Their `position` is the number of elements before.
std::vector<ViewRegion> coveredElements(const View &view);

} // namespace copse::graph
