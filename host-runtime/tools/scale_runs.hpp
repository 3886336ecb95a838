#pragma once

#include "scale_points.hpp"

namespace copse::tools {

/// Runs the program at each point, several at one time, and stores their times in \p points. Points
/// that differ only in the machine have equal programs; they wait for the first of them, which
/// compiles for all. Progress and failures are reported on stderr.
/// \throws WrongArguments, std::runtime_error
void runPoints(const ScaleRequest &request, std::vector<ScalePoint> &points);

/// Fills in the efficiencies of points that have a throughput.
void rate(std::vector<ScalePoint> &points);

} // namespace copse::tools
