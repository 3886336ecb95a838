#pragma once

#include "experiment.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace scaling {

/// Draws throughput and efficiency of all setups as lines, and where the time goes in the last
/// setup as stacked bars, along the sweep. SVG.
void writeChart(std::ostream &out, const std::string &title, const Sweep &sweep,
                const std::vector<Series> &all);

} // namespace scaling
