#pragma once

#include "experiment.hpp"

#include <iosfwd>
#include <vector>

namespace host_io {

/// Draws throughput over the size of a transfer, as SVG: a row of panels for each number of
/// replicas, the wall-clock figures on the left and the modelled ones on the right, both axes
/// logarithmic.
void drawChart(std::ostream &out, const std::vector<Point> &points);

} // namespace host_io
