#pragma once

#include "comparison.hpp"

#include <ostream>
#include <vector>

namespace copse::accuracy {

/// Draws the error of each comparison as an SVG picture, with one column for each group. Errors
/// beyond 30 % are drawn at the edge.
void drawScatter(std::ostream &out, const std::vector<Comparison> &comparisons);

} // namespace copse::accuracy
