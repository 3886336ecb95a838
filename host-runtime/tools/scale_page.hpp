#pragma once

#include "scale_points.hpp"

#include <ostream>

namespace copse::tools {

/// Writes the figures of the points as lines of values between commas, failed points with what has
/// failed.
void writeScaleFigures(std::ostream &out, const std::vector<ScalePoint> &points);

/// Writes an HTML page of its own: charts of throughput, efficiency and the parts of the time, a
/// table with what limits each point, and the failed points.
void writeScalePage(std::ostream &out, const ScaleRequest &request,
                    const std::vector<ScalePoint> &points);

} // namespace copse::tools
