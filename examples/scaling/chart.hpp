#pragma once

#include "experiment.hpp"

#include <iosfwd>
#include <string>
#include <vector>

namespace scaling {

/// Throughput and efficiency over replicas, one line per setup, as a picture of its own (SVG).
void writeChart(std::ostream &out, const std::string &title, const std::vector<Series> &all);

} // namespace scaling
