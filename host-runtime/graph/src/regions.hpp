#pragma once

#include "graph/view.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// How the positions of a view lie in the memory of variables.
namespace copse::graph {

/// Positions [position, position + count) of a flattened view, which are elements begin, begin + 1,
/// ... of a variable.
struct ViewRegion {
  std::uint64_t position = 0;
  VariableId variable = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::uint64_t end() const { return begin + count; }
};

/// Returns the longest contiguous regions of a view, in order of position.
std::vector<ViewRegion> contiguousRegions(const View &view);

/// Appends the regions of positions [begin, end), which must follow all in \p regions. A region
/// that is adjacent to the last one, in the view and in memory, is merged with it.
void addRegions(const View &view, std::uint64_t begin, std::uint64_t end,
                std::vector<ViewRegion> &regions);

/// Returns true if some element is at two positions.
bool hasAliases(const View &view);

/// Returns true if some element is in both views.
bool overlap(const View &a, const View &b);

} // namespace copse::graph
