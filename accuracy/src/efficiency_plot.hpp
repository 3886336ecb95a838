#pragma once

#include "comparison.hpp"

#include <ostream>
#include <vector>

namespace copse::accuracy {

/// Draws how the throughput of an IPU falls with the number of IPUs, as an SVG picture, for all
/// trainings whose samples come from the host: for each machine a line through the modelled steps,
/// and the published steps as points. The throughput of the fewest IPUs is 1, modelled and
/// published each.
void drawEfficiency(std::ostream &out, const std::vector<Comparison> &comparisons);

} // namespace copse::accuracy
