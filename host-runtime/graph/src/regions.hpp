#pragma once

#include "graph/view.hpp"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

/// How the positions of a view lie in the memory of variables.
namespace copse::graph {

/// Positions [position, position + count) of a flattened view that are elements begin, begin + 1,
/// ... of a variable.
struct ViewRegion {
  std::uint64_t position = 0;
  VariableId variable = 0;
  std::uint64_t begin = 0;
  std::uint64_t count = 0;
  std::uint64_t end() const { return begin + count; }
};

/// The longest contiguous regions of a view, in order of position.
std::vector<ViewRegion> contiguousRegions(const View &view);

/// Appends those of positions [begin, end), which come after all in \p regions. What touches the
/// last one, in the view and in memory, joins it.
void addRegions(const View &view, std::uint64_t begin, std::uint64_t end,
                std::vector<ViewRegion> &regions);

/// Some element stands at two positions.
bool hasAliases(const View &view);

/// Some element is in both.
bool overlap(const View &a, const View &b);

} // namespace copse::graph
