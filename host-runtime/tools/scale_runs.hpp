#pragma once

#include "scale_points.hpp"

namespace copse::tools {

/// Runs the program at each point, several at one time, and fills in what it took. Points whose
/// programs are equal and differ only in the machine wait for the first of them, which compiles for
/// all. Progress and failures are told on stderr.
/// \throws WrongArguments, std::runtime_error
void runPoints(const ScaleRequest &request, std::vector<ScalePoint> &points);

/// Fills in the efficiencies of points that have a throughput.
void rate(std::vector<ScalePoint> &points);

} // namespace copse::tools
